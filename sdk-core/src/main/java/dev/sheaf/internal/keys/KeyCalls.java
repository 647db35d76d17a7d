// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One command for each of many keys, sent together, with one future for all outcomes.
 *
 * <p>The commands have no futures of their own. Otherwise they are ordinary commands: each is
 * routed, redirected, cancelled or refused by itself.
 *
 * <p>Filled and sent by one thread; completed by any.
 */
final class KeyCalls<K, V> extends Outcomes<Map<K, Result<Boolean>>> {

  private static final Result<Boolean> YES = new Result.Value<>(true);
  private static final Result<Boolean> ABSENT = new Result.Absent<>();

  private final ReadRouter<K, V> router;
  private final Map<K, KeyCall<?>> calls;

  KeyCalls(ReadRouter<K, V> router, int keys) {
    this.router = router;
    this.calls = new LinkedHashMap<>(keys * 4 / 3 + 1);
  }

  /**
   * Adds the command for one key, unless the key was added before.
   *
   * @param isYes whether a reply means that the key existed, or was written
   */
  <T> void add(
      K key,
      CommandType type,
      CommandOutput<K, V, T> output,
      CommandArgs<K, V> args,
      Predicate<@Nullable T> isYes) {
    if (!calls.containsKey(key)) {
      calls.put(key, new KeyCall<>(type, output, args, isYes));
    }
  }

  /** Sends all commands; those that find no room in their queue fail. */
  void send(long maxHeldBytes) {
    begin(calls.size());
    WriteScope.run(() -> dispatchAll(maxHeldBytes));
  }

  /** Sends all commands, waiting for room in the queues at most the given time for each part. */
  void sendBlocking(long maxHeldBytes, Duration timeout) {
    begin(calls.size());
    WriteScope.runBlocking(() -> dispatchAll(maxHeldBytes), timeout);
  }

  private void dispatchAll(long maxHeldBytes) {
    for (KeyCall<?> call : calls.values()) {
      try {
        router.connection().dispatch(call);
      } catch (RuntimeException e) {
        call.completeExceptionally(e);
      }
      WriteScope.releaseFrom(maxHeldBytes);
    }
  }

  /** The outcomes by key, in the order of the keys. */
  @Override
  Map<K, Result<Boolean>> all() {
    Map<K, Result<Boolean>> results = new LinkedHashMap<>(calls.size() * 4 / 3 + 1);
    calls.forEach((key, call) -> results.put(key, Objects.requireNonNull(call.result())));
    return Collections.unmodifiableMap(results);
  }

  @Override
  Collection<KeyCall<?>> commands() {
    return calls.values();
  }

  /** The command of one key. */
  private final class KeyCall<T> extends KeyedCommand<K, V, T, Boolean> {

    private final Predicate<@Nullable T> isYes;

    KeyCall(
        CommandType type,
        CommandOutput<K, V, T> output,
        CommandArgs<K, V> args,
        Predicate<@Nullable T> isYes) {
      super(KeyCalls.this, type, output, args);
      this.isYes = isYes;
    }

    @Override
    Result<Boolean> answered() {
      return isYes.test(getOutput().get()) ? YES : ABSENT;
    }
  }
}
