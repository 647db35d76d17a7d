// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.BatchingOptions;
import dev.sheaf.QueueFullException;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Stage;
import dev.sheaf.internal.pipeline.BatchMeters;
import dev.sheaf.internal.pipeline.CommandHolder;
import dev.sheaf.internal.pipeline.CommandTimeouts;
import dev.sheaf.internal.pipeline.PendingQueue;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The queue of commands that wait for the connection to one node. It has the limits of a node's
 * queue, and commands time out in it.
 *
 * <p>Thread-safe.
 */
final class HeldCommands<K, V> implements CommandHolder {

  private final RedisClusterNode node;
  private final BatchingOptions limits;
  private final CommandTimeouts timeouts;
  private final @Nullable BatchMeters meters;
  private final Consumer<RedisCommand<K, V, ?>> lettuce;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();

  // Guarded by the lock.
  private final Queue<Held<K, V>> queue = new ArrayDeque<>();
  private long bytes;

  /** The commands that have left the queue and are being failed with a time-out. */
  private final Set<RedisCommand<?, ?, ?>> failing = byIdentity();

  /** Whether it has been released, so that nothing can be added any more. */
  private boolean over;

  private record Held<K, V>(RedisCommand<K, V, ?> command, int bytes, long sinceNanos) {}

  /**
   * For one node.
   *
   * @param meters counts time-outs; null for none
   * @param lettuce passes a command on to Lettuce
   */
  HeldCommands(
      RedisClusterNode node,
      BatchingOptions limits,
      CommandTimeouts timeouts,
      @Nullable BatchMeters meters,
      Consumer<RedisCommand<K, V, ?>> lettuce) {
    this.node = node;
    this.limits = limits;
    this.timeouts = timeouts;
    this.meters = meters;
    this.lettuce = lettuce;
  }

  /**
   * Adds the first command. Called before other threads can fill this queue: there is room for
   * sure, and nobody who would have to release it.
   */
  void begin(RedisCommand<K, V, ?> command) {
    Held<K, V> held = new Held<>(command, bytesOf(command), System.nanoTime());
    lock.lock();
    try {
      queue.add(held);
      bytes += held.bytes();
    } finally {
      lock.unlock();
    }
  }

  /** Remembers that a command is held here. Called before it can leave the queue. */
  void track(RedisCommand<K, V, ?> command) {
    CommandHolder.Tracked<?, ?, ?> tracked =
        CommandWrapper.unwrap(command, CommandHolder.Tracked.class);
    if (tracked != null) {
      tracked.heldBy(this);
      WriteScope.tracks(tracked);
    }
  }

  /**
   * Adds a command, or fails it if the queue is full. Waits for room if the current thread blocks
   * for the reply anyway. Returns false if the queue has been released.
   */
  boolean add(RedisCommand<K, V, ?> command) {
    Held<K, V> held = new Held<>(command, bytesOf(command), System.nanoTime());
    QueueFullException full;
    track(command);
    lock.lock();
    try {
      awaitRoom(held);
      if (over) {
        return false;
      }
      if (hasRoomFor(held)) {
        queue.add(held);
        bytes += held.bytes();
        return true;
      }
      full = full();
    } finally {
      lock.unlock();
    }
    command.completeExceptionally(full);
    return true;
  }

  private void awaitRoom(Held<K, V> held) {
    long waitNanos = WriteScope.roomNanos();
    try {
      while (!over && !hasRoomFor(held) && waitNanos > 0) {
        waitNanos = freed.awaitNanos(waitNanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A request larger than the whole queue is admitted to an empty one. */
  private boolean hasRoomFor(Held<K, V> held) {
    return queue.isEmpty()
        || (queue.size() < limits.maxQueuedCommands()
            && bytes + held.bytes() <= limits.maxQueuedBytes());
  }

  private QueueFullException full() {
    return PendingQueue.full(
        "The queue of those that wait for the connection to " + address(),
        queue.size(),
        bytes,
        limits,
        "it is still being opened");
  }

  private static int bytesOf(RedisCommand<?, ?, ?> command) {
    try {
      return RequestEncoder.encode(command).length;
    } catch (RuntimeException cannotBeEncoded) {
      // The failure is reported when it is sent.
      return 0;
    }
  }

  private String address() {
    return node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  /** Fails commands that have reached their time-out, and drops those that are done. */
  void expire() {
    long now = System.nanoTime();
    List<Held<K, V>> late = new ArrayList<>();
    int waiting;
    lock.lock();
    try {
      waiting = waiting();
      removeIf(
          held -> {
            long timeoutNanos = timeoutNanosOf(held);
            boolean isLate = timeoutNanos > 0 && now - held.sinceNanos() >= timeoutNanos;
            if (isLate) {
              late.add(held);
              failing.add(held.command());
            }
            return isLate || held.command().isDone();
          });
    } finally {
      lock.unlock();
    }
    try {
      // Without the lock: callbacks may send commands.
      late.forEach(held -> fail(held.command(), timeoutNanosOf(held), waiting));
    } finally {
      lock.lock();
      try {
        late.forEach(held -> failing.remove(held.command()));
      } finally {
        lock.unlock();
      }
    }
  }

  /** How many have waited until now, with those that are being failed. Under the lock. */
  private int waiting() {
    return queue.size() + failing.size();
  }

  /** Removes commands and releases their room. Under the lock. */
  private void removeIf(Predicate<Held<K, V>> condition) {
    queue.removeIf(
        held -> {
          boolean removed = condition.test(held);
          if (removed) {
            free(held);
          }
          return removed;
        });
  }

  @Override
  public void expire(Collection<? extends RedisCommand<?, ?, ?>> commands, long timeoutNanos) {
    Set<RedisCommand<?, ?, ?>> late = byIdentity();
    late.addAll(commands);
    Set<RedisCommand<?, ?, ?>> here = byIdentity();
    int waiting;
    lock.lock();
    try {
      waiting = waiting();
      removeIf(held -> late.contains(held.command()) && here.add(held.command()));
      late.stream().filter(failing::contains).forEach(here::add);
    } finally {
      lock.unlock();
    }
    // In their order.
    for (RedisCommand<?, ?, ?> command : commands) {
      if (here.contains(command)) {
        fail(command, timeoutNanos, waiting);
      }
    }
  }

  private static Set<RedisCommand<?, ?, ?>> byIdentity() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private void fail(RedisCommand<?, ?, ?> command, long timeoutNanos, int waiting) {
    Lateness why =
        new Lateness(
            Stage.NO_CONNECTION,
            "the connection is still being opened (commands that wait for it: " + waiting + ")");
    boolean ended =
        command.completeExceptionally(
            why.failure(command.getType().toString(), " by " + address(), timeoutNanos));
    if (ended && meters != null) {
      meters.timedOut(why.stage(), 1);
    }
  }

  private long timeoutNanosOf(Held<K, V> held) {
    try {
      return timeouts.nanosFor(held.command());
    } catch (RuntimeException ofTheUsersSource) {
      return 0;
    }
  }

  /**
   * Passes all commands on, or fails them, and accepts no more.
   *
   * @param failure why the connection could not be opened; null if it is open
   * @param whenOver called before other threads can see that it is over
   */
  void release(@Nullable Throwable failure, Runnable whenOver) {
    while (true) {
      Held<K, V> next;
      lock.lock();
      try {
        next = queue.poll();
        if (next == null) {
          over = true;
          freed.signalAll();
          whenOver.run();
          return;
        }
        free(next);
      } finally {
        lock.unlock();
      }
      end(next, failure);
    }
  }

  /** Releases the room of a command that was removed. Under the lock. */
  private void free(Held<K, V> held) {
    bytes -= held.bytes();
    freed.signalAll();
  }

  private void end(Held<K, V> held, @Nullable Throwable failure) {
    if (failure == null) {
      send(held);
    } else {
      held.command().completeExceptionally(unreachable(failure));
    }
  }

  /** The exception that Lettuce throws for a node that cannot be reached. */
  private Throwable unreachable(Throwable failure) {
    Throwable cause = Failures.cause(failure);
    return cause instanceof RedisException
        ? cause
        : RedisConnectionException.create(address(), cause);
  }

  private Duration timeLeft(Held<K, V> held) {
    long left = timeoutNanosOf(held) - (System.nanoTime() - held.sinceNanos());
    return Duration.ofNanos(Math.max(1, left));
  }

  private void send(Held<K, V> held) {
    try {
      // The connection is open, but its queue may be full of the commands before.
      WriteScope.runLate(() -> lettuce.accept(held.command()), held.sinceNanos(), timeLeft(held));
    } catch (RuntimeException e) {
      held.command().completeExceptionally(e);
    }
  }
}
