/**
 * Tools for what is stored: {@link dev.sheaf.inspector.Inspector} shows it, {@link
 * dev.sheaf.inspector.Migrator} compresses it where it is, or decompresses it, {@link
 * dev.sheaf.inspector.DictionaryCleaner} removes dictionaries that nothing needs.
 */
@NullMarked
package dev.sheaf.inspector;

import org.jspecify.annotations.NullMarked;
