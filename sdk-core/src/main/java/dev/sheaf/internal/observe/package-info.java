/**
 * Spans of what the application called, by Lettuce's tracing; and why a command is late.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.observe;

import org.jspecify.annotations.NullMarked;
