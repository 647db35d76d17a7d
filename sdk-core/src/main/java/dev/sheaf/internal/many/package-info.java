/**
 * Commands for many keys at once, one outcome for each: {@code BulkGet} reads, {@code BulkCommands}
 * writes, deletes and looks.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.many;

import org.jspecify.annotations.NullMarked;
