// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.QueueFullException;
import dev.sheaf.SheafException;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Stage;
import dev.sheaf.internal.observe.TimeoutEvent;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of commands for one connection, with admission: a command that finds no room
 * fails, or waits if its caller blocks anyway.
 *
 * <p>Any thread adds commands; one consumer at a time takes them. Room is counted with atomic
 * additions. The lock is used only while a thread waits for room.
 *
 * <p>The algorithm is Dmitry Vyukov's intrusive multi-producer single-consumer queue: a producer
 * swaps the tail and then links its predecessor to itself, so adding is one atomic exchange and
 * allocates nothing. Between those two steps the consumer sees a queue that is not empty and yet
 * has no next element; {@link #poll} then answers null and {@link #isEmpty} false.
 */
public final class PendingQueue implements BatchMeters.Queue {

  /** Most commands that a blocking caller adds in one step, so that others get a chance. */
  private static final int SLICE_COMMANDS = 1_024;

  private static final long MAX_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final VarHandle TAIL;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(PendingQueue.class, "tail", EncodedCommand.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A list of commands, linked on the calling thread to be added to a queue in one step. */
  static final class Chain {

    private @Nullable EncodedCommand<?, ?, ?> first;
    private @Nullable EncodedCommand<?, ?, ?> last;
    private int commands;
    private long bytes;

    void append(EncodedCommand<?, ?, ?> command) {
      if (last == null) {
        first = command;
      } else {
        last.linkTo(command);
      }
      last = command;
      commands++;
      bytes += command.requestBytes();
    }

    boolean isEmpty() {
      return first == null;
    }

    int commands() {
      return commands;
    }

    long bytes() {
      return bytes;
    }

    /** Whether any connection to their server may carry all commands. */
    boolean areOfAnyConnection() {
      for (EncodedCommand<?, ?, ?> command = first; command != null; command = command.next()) {
        if (command.travelsAlone() || !command.traits().isOfAnyConnection()) {
          return false;
        }
      }
      return true;
    }

    /** Records where the commands are counted. */
    void countedIn(EncodedCommand.Counting counting, int cell) {
      for (EncodedCommand<?, ?, ?> command = first; command != null; command = command.next()) {
        command.countedIn(counting, cell);
      }
    }

    /** Runs an action for each command. The action may link the command elsewhere. */
    void forEach(Consumer<EncodedCommand<?, ?, ?>> action) {
      for (EncodedCommand<?, ?, ?> command = first, next; command != null; command = next) {
        next = command.next();
        action.accept(command);
      }
    }
  }

  private final BatchingOptions options;

  /** The command taken last; its successor is the next one. Consumer only. */
  private EncodedCommand<?, ?, ?> head =
      // The initial dummy node, which is never sent.
      EncodedCommand.encode(
          new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)), false);

  private volatile EncodedCommand<?, ?, ?> tail = head;

  /** How many commands are queued or being added. The next field has the size of their requests. */
  private final AtomicInteger commands = new AtomicInteger();

  private final AtomicLong bytes = new AtomicLong();

  /** How many threads are waiting for room. */
  private final AtomicInteger waiting = new AtomicInteger();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private final WriteClock writes;
  private final @Nullable BatchMeters meters;
  private final Runnable entered;
  private final Runnable enteredHere;
  private volatile boolean closed;

  /**
   * Creates an empty queue.
   *
   * @param entered called by the adding thread after commands were added
   * @param enteredHere the same, for commands that the adding thread itself writes at once
   */
  PendingQueue(
      BatchingOptions options,
      WriteClock writes,
      @Nullable BatchMeters meters,
      Runnable entered,
      Runnable enteredHere) {
    this.options = options;
    this.writes = writes;
    this.meters = meters;
    this.entered = entered;
    this.enteredHere = enteredHere;
  }

  /** Queues one command, or fails it if the queue is full. */
  void submit(EncodedCommand<?, ?, ?> command) {
    if (closed || !tryTake(1, command.requestBytes())) {
      refuse(command, 1);
      return;
    }
    add(command, command);
    entered.run();
  }

  /** Queues commands without others in between, or fails them all if the queue is full. */
  void submit(Chain chain) {
    if (!trySubmit(chain, false) && chain.first != null) {
      refuse(chain.first, chain.commands);
    }
  }

  /**
   * Queues commands without others in between, if there is room.
   *
   * @param here whether to write them at once: for the owner of the connection's event loop
   * @return whether there was room
   */
  boolean trySubmit(Chain chain, boolean here) {
    if (closed || !tryTake(chain.commands, chain.bytes)) {
      return false;
    }
    if (chain.first != null && chain.last != null) {
      add(chain.first, chain.last);
    }
    (here ? enteredHere : entered).run();
    return true;
  }

  /**
   * Queues commands in slices, each as soon as there is room, so that other callers can add theirs
   * in between. Blocks. Commands that find no room before the deadline fail.
   *
   * @param calledNanos when the commands were called, by System.nanoTime
   * @param deadlineNanos when they time out, by System.nanoTime
   */
  void submitWaiting(Chain chain, long calledNanos, long deadlineNanos) {
    int most = Math.min(SLICE_COMMANDS, options.maxQueuedCommands());
    if (chain.commands <= most) {
      submitSlice(chain, calledNanos, deadlineNanos);
      return;
    }
    Chain[] slice = {new Chain()};
    chain.forEach(
        command -> {
          command.linkTo(null);
          slice[0].append(command);
          if (slice[0].commands == most) {
            submitSlice(slice[0], calledNanos, deadlineNanos);
            slice[0] = new Chain();
          }
        });
    submitSlice(slice[0], calledNanos, deadlineNanos);
  }

  private void submitSlice(Chain slice, long calledNanos, long deadlineNanos) {
    EncodedCommand<?, ?, ?> first = slice.first;
    EncodedCommand<?, ?, ?> last = slice.last;
    if (first == null || last == null) {
      return;
    }
    if (awaitRoom(slice, calledNanos, deadlineNanos)) {
      add(first, last);
      entered.run();
    } else {
      recordWait(slice, first, System.nanoTime() - calledNanos);
      refuse(first, slice.commands);
    }
  }

  /** Counts commands that found no room in time, and records an event for the flight recorder. */
  private void recordWait(Chain slice, EncodedCommand<?, ?, ?> first, long waitedNanos) {
    if (!closed) {
      if (meters != null) {
        meters.timedOut(Stage.WAITING_FOR_ROOM, slice.commands);
      }
      TimeoutEvent.commit(
          first.getType().toString(),
          "",
          new Lateness(Stage.WAITING_FOR_ROOM, commands() + " commands wait in the queue"),
          TimeUnit.NANOSECONDS.toMillis(waitedNanos));
    }
  }

  private boolean awaitRoom(Chain slice, long calledNanos, long deadlineNanos) {
    if (closed || tryTake(slice.commands, slice.bytes)) {
      return !closed;
    }
    slice.forEach(command -> command.calledBy(calledNanos));
    try {
      return take(slice.commands, slice.bytes, deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Reserves room if there is enough. A request larger than the whole queue is admitted to an empty
   * one.
   *
   * @return whether room was reserved
   */
  boolean tryTake(int newCommands, long newBytes) {
    int totalCommands = commands.addAndGet(newCommands);
    long totalBytes = bytes.addAndGet(newBytes);
    if ((totalCommands <= options.maxQueuedCommands() || totalCommands == newCommands)
        && (totalBytes <= options.maxQueuedBytes() || totalBytes == newBytes)) {
      return true;
    }
    commands.addAndGet(-newCommands);
    bytes.addAndGet(-newBytes);
    return false;
  }

  /** Reserves room, waiting for it if need be; false if the deadline passed. */
  private boolean take(int newCommands, long newBytes, long deadlineNanos)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      waiting.incrementAndGet();
      while (!tryTake(newCommands, newBytes)) {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        // A thread that freed room just before `waiting` was incremented has not signalled.
        freed.awaitNanos(Math.min(left, MAX_NAP_NANOS));
      }
      return true;
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }

  private void add(EncodedCommand<?, ?, ?> first, EncodedCommand<?, ?, ?> last) {
    if (first == last && first.isFusible()) {
      // A read does not invalidate what a loop has read ahead.
      link(first, last);
      return;
    }
    int written = writes.beforeQueueing(first, last);
    link(first, last);
    writes.afterQueueing(written, first, last);
  }

  /** Appends linked commands, from first to last. */
  void link(EncodedCommand<?, ?, ?> first, EncodedCommand<?, ?, ?> last) {
    EncodedCommand<?, ?, ?> previous = (EncodedCommand<?, ?, ?>) TAIL.getAndSet(this, last);
    previous.linkTo(first);
  }

  private void refuse(EncodedCommand<?, ?, ?> first, int commands) {
    if (meters != null && !closed) {
      meters.refused(commands);
    }
    SheafException refusal = refusal();
    for (EncodedCommand<?, ?, ?> command = first, next; command != null; command = next) {
      next = command.next();
      command.completeExceptionally(refusal);
    }
  }

  private SheafException refusal() {
    if (closed) {
      return new SheafException(
          "The connection is closed, because the client is, or because the node left the cluster");
    }
    return full(
        "The queue of a node connection",
        commands(),
        bytes(),
        options,
        "the server reads more slowly than this client writes, or there is no connection to it");
  }

  /**
   * Creates the error of a command for which there is no room.
   *
   * @param queue names the queue, at the start of the message
   * @param reason why the queue does not drain
   */
  public static QueueFullException full(
      String queue, int commands, long bytes, BatchingOptions limits, String reason) {
    return new QueueFullException(
        queue
            + " is full: "
            + commands
            + " commands and "
            + bytes
            + " bytes wait, the limits are maxQueuedCommands="
            + limits.maxQueuedCommands()
            + " and maxQueuedBytes="
            + limits.maxQueuedBytes()
            + "; "
            + reason
            + ". Send less at once, or raise the limit in BatchingOptions");
  }

  /**
   * Takes the next command, or null if there is none yet. Consumer only; it must {@link #free} the
   * room.
   */
  @Nullable EncodedCommand<?, ?, ?> poll() {
    EncodedCommand<?, ?, ?> next = head.next();
    if (next == null) {
      return null;
    }
    // Unlinks the old node, so that it cannot keep its successors alive.
    head.linkTo(null);
    head = next;
    return next;
  }

  /** Releases the room of commands that were taken. */
  void free(int takenCommands, long takenBytes) {
    commands.addAndGet(-takenCommands);
    bytes.addAndGet(-takenBytes);
    if (waiting.get() > 0) {
      lock.lock();
      try {
        freed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Runs an action for each queued command, in order. Consumer only. */
  void forEach(Consumer<EncodedCommand<?, ?, ?>> action) {
    for (EncodedCommand<?, ?, ?> command = head.next(); command != null; command = command.next()) {
      action.accept(command);
    }
  }

  /**
   * Removes the commands for which the condition is true, and releases their room. It is asked once
   * for each command, in order. The last command stays if others stay before it, because producers
   * link to it. Consumer only.
   */
  void removeIf(Predicate<EncodedCommand<?, ?, ?>> condition) {
    int removed = 0;
    long removedBytes = 0;
    try {
      EncodedCommand<?, ?, ?> previous = head;
      EncodedCommand<?, ?, ?> command = previous.next();
      while (command != null) {
        boolean matches = condition.test(command);
        EncodedCommand<?, ?, ?> next = command.next();
        if (!matches || (previous != head && next == null)) {
          previous = command;
        } else {
          if (previous == head) {
            poll();
            previous = head;
          } else {
            previous.linkTo(next);
            command.linkTo(null);
          }
          removed++;
          removedBytes += command.requestBytes();
        }
        command = next;
      }
    } finally {
      if (removed > 0) {
        free(removed, removedBytes);
      }
    }
  }

  /** Whether all added commands have been taken. Consumer only. */
  boolean isEmpty() {
    return head == tail;
  }

  /** How many commands are queued or being added. */
  @Override
  public int commands() {
    return commands.get();
  }

  /** The size of the requests of these commands. */
  @Override
  public long bytes() {
    return bytes.get();
  }

  /** Closes the queue: commands added from now on fail. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }
}
