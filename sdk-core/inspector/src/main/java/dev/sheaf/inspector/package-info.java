/**
 * Tools for what is stored: {@link dev.sheaf.inspector.Inspector} shows it, {@link
 * dev.sheaf.inspector.Migrator} compresses it where it is, or decompresses it.
 */
@NullMarked
package dev.sheaf.inspector;

import org.jspecify.annotations.NullMarked;
