// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.wait;

import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.Pauses;
import dev.sheaf.internal.pipeline.CommandHolder;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous command whose reply threads await through {@link Deadlines}. All of Lettuce's
 * blocking commands call {@link #await}, and so do frameworks on top of it.
 *
 * <p>Thread-safe.
 */
public class AwaitedCommand<K, V, T> extends AsyncCommand<K, V, T>
    implements CommandHolder.Tracked<K, V, T>, DrivenEventLoop.Waking {

  @SuppressWarnings("rawtypes") // There is no class literal of a generic type.
  private static final AtomicReferenceFieldUpdater<AwaitedCommand, @Nullable Runnable> WAITER =
      AtomicReferenceFieldUpdater.newUpdater(AwaitedCommand.class, Runnable.class, "waiter");

  private final Deadlines deadlines;

  /** Wakes the waiting thread. A second thread that waits for the same reply uses a timer. */
  private volatile @Nullable Runnable waiter;

  /** Not volatile: a thread that sees an older one gives a less exact reason for a time-out. */
  private @Nullable CommandHolder holder;

  AwaitedCommand(RedisCommand<K, V, T> command, Deadlines deadlines) {
    super(command);
    this.deadlines = deadlines;
  }

  /** Sends a command like Lettuce's asynchronous commands. */
  public static <K, V, T> AsyncCommand<K, V, T> dispatch(
      RedisCommand<K, V, T> command, StatefulConnection<K, V> connection, Deadlines deadlines) {
    AwaitedCommand<K, V, T> awaited =
        command.getType() == CommandType.MULTI
            ? new AwaitedMulti<>(command, deadlines)
            : new AwaitedCommand<>(command, deadlines);
    RedisCommand<K, V, T> dispatched = connection.dispatch(awaited);
    // In a transaction, Lettuce wraps it.
    return dispatched instanceof AsyncCommand<K, V, T> async ? async : awaited;
  }

  @Override
  public boolean await(long timeout, TimeUnit unit) {
    long deadlineNanos = System.nanoTime() + unit.toNanos(timeout);
    return isDone()
        || WriteScope.await(this, deadlineNanos)
        || deadlines.await(this, unit.toNanos(timeout), deadlineNanos);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    if (!isDone()) {
      awaitAmongOthers(System.nanoTime() + Deadlines.FOREVER_NANOS);
    }
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (isDone()) {
      return super.get();
    }
    long deadlineNanos = System.nanoTime() + unit.toNanos(timeout);
    awaitAmongOthers(deadlineNanos);
    return super.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  @Override
  public T join() {
    if (!isDone()) {
      awaitAmongOthers(System.nanoTime() + Deadlines.FOREVER_NANOS);
    }
    return super.join();
  }

  private void awaitAmongOthers(long deadlineNanos) {
    if (!WriteScope.await(this, deadlineNanos) && !isDone()) {
      deadlines.awaitAmongOthers(this, deadlineNanos);
    }
  }

  @Override
  public void heldBy(CommandHolder holder) {
    this.holder = holder;
  }

  @Override
  public @Nullable CommandHolder holder() {
    return holder;
  }

  boolean awaitByTimer(long deadlineNanos) {
    return super.await(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)
        || super.await(Pauses.graceNanos(deadlineNanos), TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean wakes(Runnable waiter) {
    return WAITER.compareAndSet(this, null, waiter);
  }

  @Override
  public void wakesNobody() {
    waiter = null;
  }

  private void wake() {
    Runnable waiting = waiter;
    if (waiting != null) {
      waiter = null;
      waiting.run();
    }
  }

  @Override
  public boolean complete(T value) {
    boolean completed = super.complete(value);
    wake();
    return completed;
  }

  @Override
  protected void completeResult() {
    if (getNumberOfDependents() > 0) {
      // They may take long, or wait for a thread that is to be woken.
      DrivenEventLoop.endAfterReplies();
    }
    super.completeResult();
    wake();
  }

  @Override
  public boolean completeExceptionally(Throwable failure) {
    boolean completed = super.completeExceptionally(failure);
    wake();
    return completed;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    wake();
    return cancelled;
  }
}
