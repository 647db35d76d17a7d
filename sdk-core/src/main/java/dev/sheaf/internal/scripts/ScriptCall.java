// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.common.ScriptReply;
import dev.sheaf.scripts.ScriptExecutionException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.internal.ExceptionFactory;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import io.micrometer.core.instrument.Timer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script. If its node does not know the script, it is sent once more, with the text;
 * both times it is routed by its keys, so what follows a redirect the first time follows it again.
 */
final class ScriptCall<T extends @Nullable Object> {

  /**
   * How often a function that was not found is loaded and called again. A script needs one: its
   * text travels with the call.
   */
  private static final int MAX_FUNCTION_LOADS = 3;

  private static final String NO_FUNCTION = "ERR Function not found";

  private final CallableScript<?, ?> script;
  private final Function<@Nullable Object, T> decoder;
  private final EncodedKeys keys;
  private final Arguments args;
  private final CompletableFuture<T> outcome = new CompletableFuture<>();
  private final long startNanos = System.nanoTime();
  private int functionLoads;

  /** Whether it was sent as part of a transaction, so that nothing can be sent in its place. */
  private volatile boolean inTransaction;

  ScriptCall(
      CallableScript<?, ?> script,
      Function<@Nullable Object, T> decoder,
      EncodedKeys keys,
      Arguments args) {
    this.script = script;
    this.decoder = decoder;
    this.keys = keys;
    this.args = args;
  }

  CompletableFuture<T> outcome() {
    return outcome;
  }

  /** The command of the first attempt. */
  Command<?, ?, ?> first(boolean withText) {
    inTransaction = script.nodes().isInTransaction();
    return new Attempt(withText);
  }

  private void again(boolean withText) {
    script.nodes().dispatch(new Attempt(withText));
  }

  private CommandType type(boolean withText) {
    boolean readOnly = script.script().isReadOnly();
    if (script.script().isFunction()) {
      return readOnly ? CommandType.FCALL_RO : CommandType.FCALL;
    }
    if (withText) {
      return readOnly ? CommandType.EVAL_RO : CommandType.EVAL;
    }
    return readOnly ? CommandType.EVALSHA_RO : CommandType.EVALSHA;
  }

  private ScriptArguments arguments(boolean withText) {
    return new ScriptArguments(called(withText), keys, args);
  }

  private byte[] called(boolean withText) {
    String function = script.script().function();
    if (function != null) {
      return function.getBytes(StandardCharsets.UTF_8);
    }
    return withText
        ? script.script().text().getBytes(StandardCharsets.UTF_8)
        : script.script().sha1().getBytes(StandardCharsets.US_ASCII);
  }

  private void answered(@Nullable Object reply) {
    T result;
    try {
      result = decoder.apply(reply);
    } catch (ScriptReply.Mismatch mismatch) {
      fail(
          new dev.sheaf.SheafException(
              "Script '"
                  + script.script().name()
                  + "' returned "
                  + mismatch.getMessage()
                  + ", but is declared to return "
                  + script.script().result()));
      return;
    } catch (RuntimeException e) {
      fail(e);
      return;
    }
    timed();
    outcome.complete(result);
  }

  private void refused(String error, boolean withText) {
    RedisCommandExecutionException refusal = ExceptionFactory.createExecutionException(error);
    if (outcome.isDone()) {
      return;
    }
    boolean noScript = refusal instanceof RedisNoScriptException && !withText;
    boolean noFunction =
        error.startsWith(NO_FUNCTION)
            && script.script().isFunction()
            && functionLoads < MAX_FUNCTION_LOADS;
    if (!noScript && !noFunction) {
      fail(failure(error, refusal));
    } else if (inTransaction || script.nodes().isInTransaction()) {
      fail(failure(error + " It was not sent again, because of a transaction (MULTI)", refusal));
    } else if (noScript) {
      script.mended();
      again(true);
    } else {
      functionLoads++;
      script.mended();
      script.loadAt(keys.slot()).whenComplete((reply, failure) -> again(false));
    }
  }

  private ScriptExecutionException failure(String error, RedisCommandExecutionException refusal) {
    return new ScriptExecutionException(
        script.script().name(),
        "Script '" + script.script().name() + "' failed: " + error,
        refusal);
  }

  private void fail(Throwable failure) {
    timed();
    outcome.completeExceptionally(failure);
  }

  private void timed() {
    Timer timer = script.calls();
    if (timer != null) {
      timer.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }
  }

  /** One command of this call. Nobody waits for it any more once the call has its outcome. */
  private final class Attempt extends Command<byte[], byte[], @Nullable Object>
      implements CompleteableCommand<@Nullable Object> {

    private final boolean withText;
    private volatile @Nullable Runnable whenDone;

    Attempt(boolean withText) {
      super(type(withText), new ScriptReply(), arguments(withText));
      this.withText = withText;
    }

    @Override
    public boolean isDone() {
      return super.isDone() || outcome.isDone();
    }

    @Override
    public boolean isCancelled() {
      return super.isCancelled() || outcome.isCancelled();
    }

    @Override
    public void complete() {
      if (super.isDone()) {
        return;
      }
      super.complete();
      String error = getOutput().getError();
      if (error == null) {
        answered(getOutput().get());
      } else {
        refused(error, withText);
      }
      notifyListener();
    }

    @Override
    public boolean completeExceptionally(Throwable throwable) {
      if (super.isDone()) {
        return false;
      }
      super.completeExceptionally(throwable);
      if (throwable instanceof RedisCommandExecutionException refusal) {
        refused(String.valueOf(refusal.getMessage()), withText);
      } else {
        fail(throwable);
      }
      notifyListener();
      return true;
    }

    @Override
    public void cancel() {
      if (super.isDone()) {
        return;
      }
      super.cancel();
      fail(
          new dev.sheaf.SheafException(
              "Script '"
                  + script.script().name()
                  + "' was cancelled, because its connection was closed",
              new CancellationException()));
      notifyListener();
    }

    private void notifyListener() {
      Runnable listener = whenDone;
      if (listener != null) {
        listener.run();
      }
    }

    @Override
    public void onComplete(Consumer<? super @Nullable Object> action) {
      onComplete((value, failure) -> action.accept(value));
    }

    @Override
    @SuppressWarnings("NullAway") // A missing value and no failure are null by contract.
    public void onComplete(BiConsumer<? super @Nullable Object, Throwable> action) {
      Runnable before = whenDone;
      whenDone =
          () -> {
            if (before != null) {
              before.run();
            }
            action.accept(getOutput().get(), null);
          };
    }
  }
}
