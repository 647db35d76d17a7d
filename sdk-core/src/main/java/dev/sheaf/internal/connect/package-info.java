/**
 * Lettuce's clients and connections, made to hand their commands to {@code
 * dev.sheaf.internal.pipeline}, and what has to be known to make them.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.connect;

import org.jspecify.annotations.NullMarked;
