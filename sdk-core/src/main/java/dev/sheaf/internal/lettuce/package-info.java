/**
 * Event loops that waiting callers drive, and the provider that installs them in place of Lettuce's
 * own.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.lettuce;

import org.jspecify.annotations.NullMarked;
