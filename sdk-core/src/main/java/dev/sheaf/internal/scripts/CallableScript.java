// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.common.OptionChecks;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.Script;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The implementation of {@link RegisteredScript}. */
final class CallableScript<K, T extends @Nullable Object> implements RegisteredScript<K, T> {

  private final ScriptParts<K> parts;
  private final Script<T> script;
  private final @Nullable Timer calls;

  /** Loads a script; see {@link ScriptLoader#load}. Equal texts are loaded once. */
  CallableScript(ScriptParts<K> parts, Script<T> script) {
    parts.loader().load(script);
    this.parts = parts;
    this.script = script;
    this.calls = parts.meters().callsOf(script);
  }

  /** A key of one text at one node, to find its first call in a batch. */
  private record TextAtNode(String sha1, String node) {}

  @Override
  public Script<T> script() {
    return script;
  }

  @Override
  public T call(List<? extends K> keys, Object... args) {
    CompletableFuture<T> outcome = callAsync(keys, args);
    try {
      return parts.await(outcome);
    } finally {
      // After a time-out nobody waits for the call: it is dropped if it was not sent.
      outcome.cancel(false);
    }
  }

  @Override
  public CompletableFuture<T> callAsync(List<? extends K> keys, Object... args) {
    return prepare(keys, args).get();
  }

  @Override
  public Mono<T> callReactive(List<? extends K> keys, Object... args) {
    return Mono.fromFuture(prepare(keys, args));
  }

  @Override
  public Supplier<CompletableFuture<T>> prepare(List<? extends K> keys, Object... args) {
    Objects.requireNonNull(keys, "keys");
    script.checkCounts(keys.size(), args.length);
    List<EncodedKey<K>> encodedKeys =
        EncodedKey.all(script.name(), keys, parts.codec(), parts.nodes().isCluster());
    byte[][] encodedArgs = Arguments.encode(script.name(), args);
    return () -> send(encodedKeys, encodedArgs, carriesText(encodedKeys));
  }

  private CompletableFuture<T> send(List<EncodedKey<K>> keys, byte[][] args, boolean withText) {
    return ScriptCall.send(parts, script, calls, keys, args, withText);
  }

  /**
   * Returns whether the call must not get NOSCRIPT, because later commands must not overtake it.
   */
  private boolean carriesText(List<EncodedKey<K>> keys) {
    return script.isInOrder()
        || parts.nodes().isInTransaction()
        || WriteScope.isFirst(
            new TextAtNode(script.sha1(), parts.nodes().nodeOf(EncodedKey.slotOf(keys))));
  }

  @Override
  public <R> R scatter(
      Iterable<? extends K> keys, List<?> args, Collector<? super T, ?, R> results) {
    return scatter(keys, args, results, SCATTER_BUDGET);
  }

  @Override
  public <R> R scatter(
      Iterable<? extends K> keys,
      List<?> args,
      Collector<? super T, ?, R> results,
      Duration budget) {
    Objects.requireNonNull(keys, "keys");
    Scatter<K, T, ?, R> scatter = scatter(args, results, budget);
    scatter.run(keys);
    return parts.await(scatter.result());
  }

  @Override
  public <R> CompletableFuture<R> scatterAsync(
      Iterable<? extends K> keys,
      List<?> args,
      Collector<? super T, ?, R> results,
      Duration budget) {
    Objects.requireNonNull(keys, "keys");
    Scatter<K, T, ?, R> scatter = scatter(args, results, budget);
    Thread thread = new Thread(() -> scatter.run(keys), "sheaf-scatter-" + script.name());
    thread.setDaemon(true);
    thread.start();
    return scatter.result();
  }

  private <A, R> Scatter<K, T, A, R> scatter(
      List<?> args, Collector<? super T, A, R> results, Duration budget) {
    script.checkArgs(args.size());
    if (parts.nodes().isInTransaction()) {
      throw new IllegalStateException(
          "Script '"
              + script.name()
              + "' cannot be scattered inside MULTI, since slices are answered with EXEC alone; end"
              + " the transaction first, or call the script");
    }
    byte[][] encodedArgs = Arguments.encode(script.name(), args.toArray());
    // The order of slices does not matter, so they need not carry the text.
    return new Scatter<>(
        parts,
        script.name(),
        keys -> send(keys, encodedArgs, false),
        results,
        OptionChecks.positive("budget", budget));
  }
}
