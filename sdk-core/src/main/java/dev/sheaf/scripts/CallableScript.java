package dev.sheaf.scripts;

import io.lettuce.core.codec.RedisCodec;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The one kind of {@link RegisteredScript}. */
final class CallableScript<K, T extends @Nullable Object> implements RegisteredScript<K, T> {

  private final ScriptRegistry<K, ?> registry;
  private final Script<T> script;
  private final @Nullable Timer calls;

  CallableScript(ScriptRegistry<K, ?> registry, Script<T> script) {
    this.registry = registry;
    this.script = script;
    this.calls = registry.meters().callsOf(script);
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
      return registry.host().await(outcome);
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
        EncodedKeys.of(script.name(), keys, registry.host().codec(), registry.nodes().isCluster());
    EncodedArguments encodedArgs = EncodedArguments.of(script.name(), args);
    return () -> send(encodedKeys, encodedArgs);
  }

  private CompletableFuture<T> send(EncodedKeys keys, EncodedArguments args) {
    ScriptCall<T> call = new ScriptCall<>(this, keys, args);
    registry.nodes().dispatch(call.first(carriesText(keys)));
    return call.outcome();
  }

  /** Sends a call to which the order does not matter. */
  CompletableFuture<T> sendInAnyOrder(EncodedKeys keys, EncodedArguments args) {
    ScriptCall<T> call = new ScriptCall<>(this, keys, args);
    registry.nodes().dispatch(call.first(false));
    return call.outcome();
  }

  void sendTogether(Runnable sending) {
    registry.host().sendTogether(sending);
  }

  /**
   * Whether it must not be answered by NOSCRIPT, because commands that follow must not overtake.
   */
  private boolean carriesText(EncodedKeys keys) {
    return script.inOrder()
        || registry.nodes().isInTransaction()
        || registry
            .host()
            .isFirstInBatch(new TextAtNode(script.sha1(), registry.nodes().nodeOf(keys.slot())));
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
    return registry.host().await(scatter.result());
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
    if (registry.nodes().isInTransaction()) {
      throw new IllegalStateException(
          "Script '"
              + script.name()
              + "' cannot be scattered inside MULTI, since slices are answered with EXEC alone; end"
              + " the transaction first, or call the script");
    }
    EncodedArguments encodedArgs = EncodedArguments.of(script.name(), args.toArray());
    return new Scatter<>(timed(), encodedArgs, Objects.requireNonNull(reducer), options);
  }

  /** Loaded when it is first needed; equal texts are loaded once. */
  private CallableScript<K, Timed<T>> timed() {
    return registry.callable(Timed.around(script));
  }

  RedisCodec<K, ?> codec() {
    return registry.host().codec();
  }

  void beforeWaiting() {
    registry.host().beforeWaiting();
  }

  void sliceEnded(int keys, long nanos) {
    registry.meters().slice(keys, nanos);
  }

  Nodes<K, ?> nodes() {
    return registry.nodes();
  }

  @Nullable Timer calls() {
    return calls;
  }

  /** A node did not know the script. */
  void mended() {
    registry.meters().mended();
    registry.loader().reload();
  }

  CompletableFuture<?> loadAt(int slot) {
    return registry.loader().reloadAt(slot, script);
  }
}
