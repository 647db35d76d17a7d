// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.scripts.Reducer;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScatterOptions;
import dev.sheaf.scripts.ScatterRun;
import dev.sheaf.scripts.Script;
import io.lettuce.core.codec.RedisCodec;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The one kind of {@link RegisteredScript}. */
final class CallableScript<K, T extends @Nullable Object> implements RegisteredScript<K, T> {

  private final ScriptParts<K, ?> parts;
  private final Script<T> script;
  private final @Nullable Timer calls;

  private CallableScript(ScriptParts<K, ?> parts, Script<T> script) {
    this.parts = parts;
    this.script = script;
    this.calls = parts.meters().callsOf(script);
  }

  /** Loads a script; see {@link ScriptLoader#load}. Equal texts are loaded once. */
  static <K, T extends @Nullable Object> CallableScript<K, T> loaded(
      ScriptParts<K, ?> parts, Script<T> script) {
    parts.loader().load(script);
    return new CallableScript<>(parts, script);
  }

  /** Stands for one text at one node, to find the first of each in a batch. */
  private record TextAtNode(String sha1, String node) {}

  @Override
  public Script<T> script() {
    return script;
  }

  @Override
  public T call(List<? extends K> keys, Object... args) {
    CompletableFuture<T> outcome = callAsync(keys, args);
    try {
      return parts.host().await(outcome);
    } finally {
      // After a time-out nobody waits for it; what was not sent is dropped.
      outcome.cancel(false);
    }
  }

  @Override
  public CompletableFuture<T> callAsync(List<? extends K> keys, Object... args) {
    return prepare(keys, args).send();
  }

  @Override
  public Mono<T> callReactive(List<? extends K> keys, Object... args) {
    PreparedCall<T> prepared = prepare(keys, args);
    return Mono.fromFuture(prepared::send);
  }

  @Override
  public PreparedCall<T> prepare(List<? extends K> keys, Object... args) {
    Objects.requireNonNull(keys, "keys");
    script.checkCounts(keys.size(), args.length);
    EncodedKeys encodedKeys =
        EncodedKeys.of(script.name(), keys, parts.host().codec(), parts.nodes().isCluster());
    Arguments encodedArgs = Arguments.of(script.name(), args);
    return () -> send(encodedKeys, encodedArgs);
  }

  private CompletableFuture<T> send(EncodedKeys keys, Arguments args) {
    ScriptCall<T> call = new ScriptCall<>(this, script.result()::decode, keys, args);
    parts.nodes().dispatch(call.first(carriesText(keys)));
    return call.outcome();
  }

  /** Sends a slice of a scatter, to which the order does not matter. */
  CompletableFuture<Timed<T>> sendSlice(EncodedKeys keys, Arguments args) {
    ScriptCall<Timed<T>> call =
        new ScriptCall<>(this, reply -> Timed.decode(script, reply), keys, args);
    parts.nodes().dispatch(call.first(false));
    return call.outcome();
  }

  void sendTogether(Runnable sending) {
    parts.host().sendTogether(sending);
  }

  /**
   * Whether it must not be answered by NOSCRIPT, because commands that follow must not overtake.
   */
  private boolean carriesText(EncodedKeys keys) {
    return script.isInOrder()
        || parts.nodes().isInTransaction()
        || parts
            .host()
            .isFirstInBatch(new TextAtNode(script.sha1(), parts.nodes().nodeOf(keys.slot())));
  }

  @Override
  public <R> R scatter(Iterable<? extends K> keys, List<?> args, Reducer<? super T, R> reducer) {
    return scatter(keys, args, reducer, ScatterOptions.defaults());
  }

  @Override
  public <R> R scatter(
      Iterable<? extends K> keys,
      List<?> args,
      Reducer<? super T, R> reducer,
      ScatterOptions options) {
    Objects.requireNonNull(keys, "keys");
    Scatter<K, T, R> scatter = scatter(args, reducer, options);
    scatter.run(keys);
    return parts.host().await(scatter.result());
  }

  @Override
  public <R> ScatterRun<R> scatterAsync(
      Iterable<? extends K> keys,
      List<?> args,
      Reducer<? super T, R> reducer,
      ScatterOptions options) {
    Objects.requireNonNull(keys, "keys");
    Scatter<K, T, R> scatter = scatter(args, reducer, options);
    Thread thread = new Thread(() -> scatter.run(keys), "sheaf-scatter-" + script.name());
    thread.setDaemon(true);
    thread.start();
    return scatter;
  }

  private <R> Scatter<K, T, R> scatter(
      List<?> args, Reducer<? super T, R> reducer, ScatterOptions options) {
    script.checkArgs(args.size());
    if (parts.nodes().isInTransaction()) {
      throw new IllegalStateException(
          "Script '"
              + script.name()
              + "' cannot be scattered inside MULTI, since slices are answered with EXEC alone; end"
              + " the transaction first, or call the script");
    }
    Arguments encodedArgs = Arguments.of(script.name(), args.toArray());
    return new Scatter<>(
        loaded(parts, Timed.around(script)), encodedArgs, Objects.requireNonNull(reducer), options);
  }

  RedisCodec<K, ?> codec() {
    return parts.host().codec();
  }

  void beforeWaiting() {
    parts.host().beforeWaiting();
  }

  void sliceEnded(int keys, long nanos) {
    parts.meters().slice(keys, nanos);
  }

  Nodes<K, ?> nodes() {
    return parts.nodes();
  }

  @Nullable Timer calls() {
    return calls;
  }

  /** A node did not know the script. */
  void mended() {
    parts.meters().mended();
    parts.loader().reload();
  }

  CompletableFuture<?> loadAt(int slot) {
    return parts.loader().reloadAt(slot, script);
  }
}
