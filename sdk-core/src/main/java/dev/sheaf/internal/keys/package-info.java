/**
 * Commands for many keys at once, with an outcome for each: {@code PageRead} and {@code MultiGet}
 * read, {@code MultiCommand} writes, deletes and checks keys.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.keys;

import org.jspecify.annotations.NullMarked;
