// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.SheafException;
import dev.sheaf.internal.common.ScriptReply;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.ScriptException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.micrometer.core.instrument.Timer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script. If its node does not know the script, the call is sent once more with the
 * text. Both times it is routed by its keys, so the second call follows the same redirects.
 */
final class ScriptCall<T extends @Nullable Object> {

  /**
   * How often a missing function is loaded and called again. A script needs one: its text is sent
   * with the call.
   */
  private static final int MAX_FUNCTION_LOADS = 3;

  private static final String NO_FUNCTION = "ERR Function not found";

  private final ScriptParts<?> parts;
  private final Script<T> script;
  private final @Nullable Timer timer;
  private final List<? extends EncodedKey<?>> keys;
  private final byte[][] args;
  private final CompletableFuture<T> outcome = new CompletableFuture<>();
  private final long startNanos = System.nanoTime();

  /** Whether the call was sent inside a transaction, so that no other command can replace it. */
  private final boolean inTransaction;

  private int functionLoads;

  private ScriptCall(
      ScriptParts<?> parts,
      Script<T> script,
      @Nullable Timer timer,
      List<? extends EncodedKey<?>> keys,
      byte[][] args) {
    this.parts = parts;
    this.script = script;
    this.timer = timer;
    this.keys = keys;
    this.args = args;
    this.inTransaction = parts.nodes().isInTransaction();
  }

  /**
   * Sends the call.
   *
   * @param timer measures calls of the script; null if nobody does
   * @return the result; cancelling it drops a call that was not sent yet
   */
  static <T extends @Nullable Object> CompletableFuture<T> send(
      ScriptParts<?> parts,
      Script<T> script,
      @Nullable Timer timer,
      List<? extends EncodedKey<?>> keys,
      byte[][] args,
      boolean withText) {
    ScriptCall<T> call = new ScriptCall<>(parts, script, timer, keys, args);
    call.attempt(withText);
    return call.outcome;
  }

  private void attempt(boolean withText) {
    AsyncCommand<byte[], byte[], @Nullable Object> command =
        new AsyncCommand<>(new Command<>(type(withText), new ScriptReply(), arguments(withText)));
    command.whenComplete(
        (reply, failure) -> {
          if (failure == null) {
            answered(reply);
          } else {
            failed(failure, withText);
          }
        });
    outcome.whenComplete((result, failure) -> command.cancel(true));
    parts.nodes().dispatch(command);
  }

  private CommandType type(boolean withText) {
    boolean readOnly = script.isReadOnly();
    if (script.isFunction()) {
      return readOnly ? CommandType.FCALL_RO : CommandType.FCALL;
    }
    if (withText) {
      return readOnly ? CommandType.EVAL_RO : CommandType.EVAL;
    }
    return readOnly ? CommandType.EVALSHA_RO : CommandType.EVALSHA;
  }

  private CommandArgs<byte[], byte[]> arguments(boolean withText) {
    CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    arguments.add(called(withText).getBytes(StandardCharsets.UTF_8)).add(keys.size());
    keys.forEach(key -> arguments.addKey(key.bytes()));
    for (byte[] arg : args) {
      arguments.add(arg);
    }
    return arguments;
  }

  private String called(boolean withText) {
    String function = script.function();
    if (function != null) {
      return function;
    }
    return withText ? script.text() : script.sha1();
  }

  private void answered(@Nullable Object reply) {
    T result;
    try {
      result = script.result().decode(reply);
    } catch (ScriptReply.Mismatch mismatch) {
      fail(
          new SheafException(
              "Script '"
                  + script.name()
                  + "' returned "
                  + mismatch.getMessage()
                  + ", but is declared to return "
                  + script.result()));
      return;
    } catch (RuntimeException e) {
      fail(e);
      return;
    }
    timed();
    outcome.complete(result);
  }

  private void failed(Throwable failure, boolean withText) {
    if (outcome.isDone()) {
      return;
    }
    if (failure instanceof RedisCommandExecutionException refusal) {
      refused(refusal, withText);
    } else if (failure instanceof CancellationException) {
      fail(
          new SheafException(
              "Script '" + script.name() + "' was cancelled, because its connection was closed",
              failure));
    } else {
      fail(failure);
    }
  }

  private void refused(RedisCommandExecutionException refusal, boolean withText) {
    String error = String.valueOf(refusal.getMessage());
    boolean noScript = refusal instanceof RedisNoScriptException && !withText;
    boolean noFunction =
        error.startsWith(NO_FUNCTION) && script.isFunction() && functionLoads < MAX_FUNCTION_LOADS;
    if (!noScript && !noFunction) {
      fail(failure(error, refusal));
    } else if (inTransaction || parts.nodes().isInTransaction()) {
      fail(failure(error + " It was not sent again, because of a transaction (MULTI)", refusal));
    } else {
      parts.meters().mended();
      parts.loader().reload();
      if (noScript) {
        attempt(true);
      } else {
        functionLoads++;
        parts
            .loader()
            .reloadAt(EncodedKey.slotOf(keys), script)
            .whenComplete((reply, failure) -> attempt(false));
      }
    }
  }

  private ScriptException failure(String error, RedisCommandExecutionException refusal) {
    return new ScriptException("Script '" + script.name() + "' failed: " + error, refusal);
  }

  private void fail(Throwable failure) {
    timed();
    outcome.completeExceptionally(failure);
  }

  private void timed() {
    if (timer != null) {
      timer.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }
  }
}
