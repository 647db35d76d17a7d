// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.pipeline.Replies;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.ScriptException;
import dev.sheaf.scripts.Scripts;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Loads scripts on servers: on all primaries when a script is registered and after a flush, and on
 * each new socket before the first script call there.
 *
 * <p>Thread-safe.
 */
final class ScriptLoader {

  private static final Pattern COMPILE_ERROR =
      Pattern.compile("^ERR Error compiling (?:script|function).*?user_\\w+:(\\d+): (.*)$");

  private final Nodes<?, ?> nodes;
  private final Duration commandTimeout;

  /** The scripts that servers must know, by digest. */
  private final Map<String, Script<?>> texts = new ConcurrentHashMap<>();

  private final AtomicBoolean reloading = new AtomicBoolean();

  ScriptLoader(Nodes<?, ?> nodes, Duration commandTimeout) {
    this.nodes = nodes;
    this.commandTimeout = commandTimeout;
  }

  /**
   * Loads a script everywhere, now and on later connections. Blocks until the primaries have
   * answered.
   *
   * @throws ScriptException if it cannot be compiled
   * @throws RedisException if no primary answered
   * @throws IllegalStateException if too many scripts are registered, or a transaction is open
   */
  void load(Script<?> script) {
    synchronized (this) {
      if (texts.containsKey(script.sha1())) {
        return;
      }
      if (nodes.isInTransaction()) {
        throw new IllegalStateException(
            script
                + " cannot be registered inside MULTI, since loading its text would become part of"
                + " the transaction; register it before");
      }
      if (texts.size() >= Scripts.MAX_REGISTERED) {
        throw new IllegalStateException(
            "Scripts.MAX_REGISTERED = "
                + Scripts.MAX_REGISTERED
                + " scripts are registered"
                + " already; give what differs from call to call as an argument, not in the text");
      }
      texts.put(script.sha1(), script);
    }
    boolean loaded = false;
    try {
      await(script, nodes.toEachPrimary(() -> command(script, true)));
      loaded = true;
    } finally {
      if (!loaded) {
        texts.remove(script.sha1());
      }
    }
  }

  private void await(Script<?> script, List<CompletableFuture<String>> replies) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
            .exceptionally(failure -> null)
            .completeOnTimeout(null, commandTimeout.toMillis(), TimeUnit.MILLISECONDS);
    Replies.resultOf(all, commandTimeout);
    RuntimeException failure = null;
    boolean answered = false;
    for (CompletableFuture<String> reply : replies) {
      Throwable cause = failureOf(reply);
      if (cause == null) {
        answered = true;
      } else if (cause instanceof RedisCommandExecutionException refused) {
        checkCompiled(script, refused);
        failure = refused;
      } else {
        failure = new RedisException(String.valueOf(cause.getMessage()), cause);
      }
    }
    if (!answered) {
      throw new RedisException(
          script
              + " could not be loaded, because no primary took it"
              + (failure == null ? "; the cluster has none" : ": " + failure.getMessage()),
          failure == null ? new IllegalStateException("no primary") : failure);
    }
  }

  private @Nullable Throwable failureOf(CompletableFuture<String> reply) {
    if (!reply.isDone()) {
      return new RedisException("no answer within " + commandTimeout.toMillis() + " ms");
    }
    try {
      reply.join();
      return null;
    } catch (CompletionException e) {
      return e.getCause() == null ? e : e.getCause();
    } catch (RuntimeException e) {
      return e;
    }
  }

  private static void checkCompiled(Script<?> script, RedisCommandExecutionException refused) {
    Matcher matcher = COMPILE_ERROR.matcher(String.valueOf(refused.getMessage()));
    if (matcher.matches()) {
      throw new ScriptException(
          "Script '"
              + script.name()
              + "' cannot be compiled: "
              + script.source()
              + ", line "
              + matcher.group(1)
              + ": "
              + matcher.group(2),
          refused);
    }
    if (script.isFunction()) {
      throw new ScriptException(
          "The library of function '"
              + script.name()
              + "' ("
              + script.source()
              + ") was refused: "
              + refused.getMessage(),
          refused);
    }
  }

  /**
   * Loads everything on all primaries without waiting, because one of them was flushed. Further
   * findings meanwhile change nothing: their calls carry the text.
   */
  void reload() {
    if (!reloading.compareAndSet(false, true)) {
      return;
    }
    List<CompletableFuture<?>> loads = new ArrayList<>();
    try {
      for (Script<?> script : texts.values()) {
        loads.addAll(nodes.toEachPrimary(() -> command(script, false)));
      }
    } catch (RuntimeException e) {
      // The call that found the flush carries its text. The next one that finds it tries again.
      loads.add(CompletableFuture.failedFuture(e));
    }
    CompletableFuture.allOf(loads.toArray(CompletableFuture[]::new))
        .orTimeout(commandTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((nothing, failure) -> reloading.set(false));
  }

  /** Loads the function that a call did not find. The future completes normally in any case. */
  CompletableFuture<?> reloadAt(int slot, Script<?> script) {
    return nodes.toNodeOf(slot, command(script, false)).exceptionally(failure -> "");
  }

  /** Returns the commands to send on a new socket before the first script call there. */
  List<AsyncCommand<?, ?, String>> forNewSocket() {
    List<AsyncCommand<?, ?, String>> commands = new ArrayList<>();
    texts.values().forEach(script -> commands.add(command(script, false)));
    return commands;
  }

  private static AsyncCommand<?, ?, String> command(Script<?> script, boolean replace) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(CommandKeyword.LOAD);
    if (script.isFunction() && replace) {
      args.add(CommandKeyword.REPLACE);
    }
    args.add(script.text().getBytes(StandardCharsets.UTF_8));
    CommandType type = script.isFunction() ? CommandType.FUNCTION : CommandType.SCRIPT;
    return new AsyncCommand<>(
        new Command<>(type, new StatusOutput<>(ByteArrayCodec.INSTANCE), args));
  }
}
