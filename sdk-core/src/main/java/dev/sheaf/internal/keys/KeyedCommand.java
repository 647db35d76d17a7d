// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import dev.sheaf.SheafException;
import dev.sheaf.internal.pipeline.CommandHolder;
import io.lettuce.core.RedisException;
import io.lettuce.core.internal.ExceptionFactory;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The command for one of many keys with a common future. Its first outcome counts; later ones are
 * ignored.
 *
 * <p>Thread-safe.
 *
 * @param <R> the type of a result
 */
abstract class KeyedCommand<K, V, T, R> extends Command<K, V, T>
    implements CompleteableCommand<T>, CommandHolder.Tracked<K, V, T> {

  @SuppressWarnings("rawtypes") // There is no class literal of a generic type.
  private static final AtomicReferenceFieldUpdater<KeyedCommand, @Nullable Result> RESULT =
      AtomicReferenceFieldUpdater.newUpdater(KeyedCommand.class, Result.class, "result");

  private final Outcomes<?> together;
  private volatile @Nullable Result<R> result;
  private volatile @Nullable Runnable whenDone;

  /** Not volatile: a thread that sees an older one gives a less exact reason for a time-out. */
  private @Nullable CommandHolder holder;

  KeyedCommand(
      Outcomes<?> together,
      ProtocolKeyword type,
      CommandOutput<K, V, T> output,
      CommandArgs<K, V> args) {
    super(type, output, args);
    this.together = together;
  }

  /** Converts the reply, which is no error, to an outcome. */
  abstract Result<R> answered();

  /** The outcome; null until there is one. */
  final @Nullable Result<R> result() {
    return result;
  }

  @Override
  public void complete() {
    String error = getOutput().getError();
    finish(
        error == null
            ? answered()
            : new Result.Failure<>(ExceptionFactory.createExecutionException(error)));
  }

  @Override
  public final boolean completeExceptionally(Throwable throwable) {
    return finish(
        new Result.Failure<>(
            throwable instanceof RedisException redis
                ? redis
                : new SheafException(getType() + " failed: " + throwable, throwable)));
  }

  @Override
  public final void cancel() {
    finish(
        new Result.Failure<>(
            new SheafException(
                getType() + " was cancelled, its connection was closed",
                new CancellationException())));
  }

  @Override
  public final void heldBy(CommandHolder holder) {
    this.holder = holder;
  }

  @Override
  public final @Nullable CommandHolder holder() {
    return holder;
  }

  @Override
  public final boolean isDone() {
    return result != null;
  }

  private boolean finish(Result<R> outcome) {
    if (!RESULT.compareAndSet(this, null, outcome)) {
      return false;
    }
    try {
      Runnable action = whenDone;
      if (action != null) {
        action.run();
      }
    } finally {
      // Even if a listener throws, since callers may wait for the others, by then without a limit.
      together.finished();
    }
    return true;
  }

  @Override
  public final void onComplete(Consumer<? super T> action) {
    onComplete((value, failure) -> action.accept(value));
  }

  @Override
  @SuppressWarnings("NullAway") // A missing value and no failure are null by contract.
  public final void onComplete(BiConsumer<? super T, Throwable> action) {
    Runnable before = whenDone;
    whenDone =
        () -> {
          if (before != null) {
            before.run();
          }
          action.accept(
              getOutput().get(),
              result instanceof Result.Failure<R> failed ? failed.error() : null);
        };
  }
}
