/**
 * Waiting for replies: {@code AwaitedCommand} lets a thread drive the event loop if it can, and
 * {@code Deadlines} parks it without a timer of its own.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.wait;

import org.jspecify.annotations.NullMarked;
