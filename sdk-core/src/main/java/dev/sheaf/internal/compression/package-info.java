/**
 * Compression inside a client: which arguments and parts of replies are values, and what is stored
 * of them. The format is that of docs/wire-format.md.
 */
@NullMarked
package dev.sheaf.internal.compression;

import org.jspecify.annotations.NullMarked;
