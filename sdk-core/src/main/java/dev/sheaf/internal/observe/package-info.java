/**
 * Observability: spans of the commands that the application called, through Lettuce's tracing,
 * flight recorder events, and the reasons why commands are late.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.observe;

import org.jspecify.annotations.NullMarked;
