/**
 * Values that travel and rest compressed. Begin with {@link
 * dev.sheaf.compression.CompressionOptions}, which {@link dev.sheaf.SheafBuilder#compression}
 * takes; every command then writes and reads values as before.
 */
@NullMarked
package dev.sheaf.compression;

import org.jspecify.annotations.NullMarked;
