// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The commands that wait for one connection: an unbounded first-in first-out queue for many
 * producers and one consumer at a time. Its bounds are kept by {@code PendingQueue}, which admits
 * commands.
 *
 * <p>The algorithm is Dmitry Vyukov's intrusive multi-producer single-consumer queue: a producer
 * swaps the tail and then links its predecessor to itself, so adding is one atomic exchange and
 * allocates nothing. Between those two steps the consumer sees a queue that is not empty and yet
 * has no next element; {@link #poll} then answers null and {@link #isEmpty} false.
 */
public final class CommandQueue {

  private static final VarHandle TAIL;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(CommandQueue.class, "tail", EncodedCommand.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The last element taken; its successor is the next one. Touched by the consumer alone. */
  private EncodedCommand<?, ?, ?> head;

  private volatile EncodedCommand<?, ?, ?> tail;

  public CommandQueue() {
    EncodedCommand<?, ?, ?> placeholder = EncodedCommand.placeholder();
    head = placeholder;
    tail = placeholder;
  }

  /**
   * Adds commands already linked to each other, from first to last, with nothing between them. Safe
   * for any thread.
   */
  public void addChain(EncodedCommand<?, ?, ?> first, EncodedCommand<?, ?, ?> last) {
    EncodedCommand<?, ?, ?> previous = (EncodedCommand<?, ?, ?>) TAIL.getAndSet(this, last);
    previous.linkTo(first);
  }

  /** Takes the next command, or null if there is none to take yet. For the one consumer. */
  public @Nullable EncodedCommand<?, ?, ?> poll() {
    EncodedCommand<?, ?, ?> next = head.next;
    if (next == null) {
      return null;
    }
    // Unlinks the element left behind, so that an old one never keeps its successors alive.
    head.linkTo(null);
    head = next;
    return next;
  }

  /** Calls back for each command that waits, in order, without taking it. For the one consumer. */
  public void forEach(Consumer<EncodedCommand<?, ?, ?>> action) {
    for (EncodedCommand<?, ?, ?> command = head.next; command != null; command = command.next) {
      action.accept(command);
    }
  }

  /** Whether no producer has added anything that was not taken. For the one consumer. */
  public boolean isEmpty() {
    return head == tail;
  }
}
