/**
 * The pipeline between callers and the socket of one node: {@code NodeWriter} gets commands from
 * Lettuce, {@code NodePipeline} queues and sends them, {@code NodeChannel} is the socket and {@code
 * FlightHandler} reads the replies.
 *
 * <p>Not for users: public here means for other packages of Sheaf, and changes without notice.
 */
@NullMarked
package dev.sheaf.internal.pipeline;

import org.jspecify.annotations.NullMarked;
