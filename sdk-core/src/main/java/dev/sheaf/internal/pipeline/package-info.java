/**
 * The way of commands from their callers to the socket of one node and back: {@code NodeWriter}
 * takes them from Lettuce, {@code NodePipeline} queues and writes them, {@code NodeChannel} is the
 * socket and {@code FlightHandler} reads the replies.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.pipeline;

import org.jspecify.annotations.NullMarked;
