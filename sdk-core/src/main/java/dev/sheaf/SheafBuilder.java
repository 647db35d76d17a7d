// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.internal.client.ClientSettings;
import dev.sheaf.internal.client.Connector;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.common.OptionChecks;
import dev.sheaf.internal.connect.ServerUris;
import dev.sheaf.internal.sync.LoopLearning;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A builder of clients. Not thread-safe. It can connect several times; later changes do not affect
 * clients that were connected before.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class SheafBuilder<K, V> {

  /** The default time limit for connecting, including the handshake: 5 seconds. */
  public static final Duration DEFAULT_CONNECT_TIMEOUT = ClientSettings.CONNECT_TIMEOUT;

  /** Most keys of one call in flight at once, so that memory stays bounded. */
  public static final int KEYS_PER_SLICE = Limits.KEYS_PER_SLICE;

  /**
   * Most request bytes of {@link Sheaf#setAll(java.util.Map) setAll} to collect before sending
   * them: 1 MiB, sixteen full writes. A smaller {@code maxQueuedBytes} lowers it.
   */
  public static final int BYTES_PER_SLICE = Limits.BYTES_PER_SLICE;

  /** The shortest time to live: 1 millisecond, the server's resolution. */
  public static final Duration MIN_TTL = Limits.MIN_TTL;

  /**
   * The longest time to live: 365,000 days. Servers refuse times beyond the range of their clock,
   * which differs between them.
   */
  public static final Duration MAX_TTL = Limits.MAX_TTL;

  /** Most concurrent bodies of one {@link Sheaf#mapEach}: enough to fill batches. */
  public static final int MAP_EACH_BODIES = Limits.MAP_EACH_BODIES;

  /**
   * The threads of a client for {@link Sheaf#mapEach} on JVMs without virtual threads: enough to
   * run a hundred bodies at once. They end when idle.
   */
  public static final int MAP_EACH_POOL_THREADS = Limits.MAP_EACH_POOL_THREADS;

  private final ClientSettings<K, V> settings;

  private SheafBuilder(ClientSettings<K, V> settings) {
    this.settings = settings;
  }

  static SheafBuilder<String, String> of(List<RedisURI> uris) {
    if (uris.isEmpty()) {
      throw new IllegalArgumentException("At least one server URI is needed");
    }
    return new SheafBuilder<>(new ClientSettings<>(uris, StringCodec.UTF8));
  }

  static SheafBuilder<String, String> of(String uri) {
    return of(ServerUris.parse(uri));
  }

  /** Returns a builder for other types of keys and values, with the options of this one. */
  @CheckReturnValue
  public <K2, V2> SheafBuilder<K2, V2> codec(RedisCodec<K2, V2> codec) {
    return new SheafBuilder<>(settings.withCodec(Objects.requireNonNull(codec, "codec")));
  }

  /**
   * The time limit for connecting to each address, including the handshake; {@link
   * #DEFAULT_CONNECT_TIMEOUT} by default. Given client options keep their own limit for the socket.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public SheafBuilder<K, V> connectTimeout(Duration timeout) {
    settings.connectTimeout = OptionChecks.positive("connectTimeout", timeout);
    return this;
  }

  /**
   * The command time-out, counted from the call; by default that of the URI ({@code ?timeout=2s}),
   * or else Lettuce's 60 seconds.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public SheafBuilder<K, V> commandTimeout(Duration timeout) {
    settings.commandTimeout = OptionChecks.positive("commandTimeout", timeout);
    return this;
  }

  /** The limits of batching; {@link BatchingOptions#defaults()} by default. */
  public SheafBuilder<K, V> batching(BatchingOptions batching) {
    settings.batching = Objects.requireNonNull(batching, "batching");
    return this;
  }

  /**
   * Turns on compression of values and decompression of compressed ones; off by default. Clients
   * that do not know the format cannot read compressed values. So first let all clients read
   * ({@link CompressionOptions#readOnly()}), then let them write.
   */
  public SheafBuilder<K, V> compression(CompressionOptions options) {
    settings.compression = Objects.requireNonNull(options, "options");
    return this;
  }

  /** Lettuce's options for sockets, TLS, reconnects and protocol; for a cluster their subclass. */
  public SheafBuilder<K, V> clientOptions(ClientOptions options) {
    settings.clientOptions = Objects.requireNonNull(options, "options");
    return this;
  }

  /**
   * Lettuce's threads and timers, to share them with other clients. The caller must shut them down.
   */
  public SheafBuilder<K, V> clientResources(ClientResources resources) {
    settings.clientResources = Objects.requireNonNull(resources, "resources");
    return this;
  }

  /** The client's name in its meters, to distinguish several clients; "default" by default. */
  public SheafBuilder<K, V> name(String name) {
    settings.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /** The registry of the client's meters; without one, nothing is measured. */
  public SheafBuilder<K, V> meterRegistry(MeterRegistry registry) {
    settings.meterRegistry = Objects.requireNonNull(registry, "registry");
    return this;
  }

  /**
   * The options of {@link Sheaf#availability()}. If set, the guard's connections are opened when
   * the client connects, without delaying it. If not, {@link AvailabilityOptions#defaults()} apply,
   * and the connections are opened at the first call of {@code availability()} or of a
   * read-through.
   */
  public SheafBuilder<K, V> availability(AvailabilityOptions options) {
    settings.availability = Objects.requireNonNull(options, "options");
    return this;
  }

  /**
   * When to close and reopen connections that do not recover; {@link HealingOptions#defaults()} by
   * default.
   */
  public SheafBuilder<K, V> healing(HealingOptions options) {
    settings.healing = Objects.requireNonNull(options, "options");
    return this;
  }

  /**
   * The most nodes, drawn at random, to ask in a topology refresh of a cluster; 10 by default. Each
   * needs a short connection: a thousand clients that ask a hundred nodes at once open a hundred
   * thousand. The seeds are asked too while no other node is known.
   *
   * <p>Lettuce's {@code ReadFrom.LOWEST_LATENCY} knows the latency only of nodes that were asked,
   * so set this to the number of nodes then. With {@code dynamicRefreshSources(false)} in {@link
   * #clientOptions} only seeds are asked, and this has no effect.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public SheafBuilder<K, V> topologySources(int nodes) {
    settings.topologySources = OptionChecks.atLeast(1, "topologySources", nodes);
    return this;
  }

  /**
   * Whether to detect loops that could batch, see {@link Sheaf#loops}; on by default, since it
   * costs some tens of nanoseconds per call.
   */
  public SheafBuilder<K, V> loopDetection(boolean on) {
    settings.loopDetection = on;
    return this;
  }

  /**
   * The advice in the log line about a loop, for frameworks or teams with their own ways to batch;
   * by default this client's, such as {@code sheaf.loop(keys) or getAll} for GET.
   *
   * @param remedy returns the advice for the name of a command, to be followed by "would have saved
   *     99 round trips"
   */
  public SheafBuilder<K, V> loopAdvice(Function<String, String> remedy) {
    settings.loopAdvice = Objects.requireNonNull(remedy, "remedy");
    return this;
  }

  /**
   * Whether to learn loops that were not declared: if a place in the code has read, three times in
   * a row, the keys that its first two predict, the first key of its next loop brings the others,
   * as with {@link Sheaf#loop}. Off by default.
   *
   * <p>A value read ahead is returned once, for its own key, to the same thread, within 50
   * milliseconds of its request, and not after this client has written the key. Writes of other
   * clients are seen later by up to that time.
   */
  public SheafBuilder<K, V> learnLoops(boolean on) {
    settings.loopLearning = on ? LoopLearning.defaults() : null;
    return this;
  }

  /**
   * Learns loops, as {@link #learnLoops(boolean)}, with other limits.
   *
   * @param maxAge how long a value read ahead may be used, from its request, up to 1 minute; it
   *     must be longer than a round trip
   * @param maxVainPercent the share of unused values at a place above which nothing is read ahead
   *     there any more, in percent, 1 to 100; 25 by default
   * @throws IllegalArgumentException if one is out of its range; the message names it
   */
  public SheafBuilder<K, V> learnLoops(Duration maxAge, int maxVainPercent) {
    settings.loopLearning = new LoopLearning(maxAge, maxVainPercent);
    return this;
  }

  /**
   * Whether threads that wait for replies yield the processor up to 100 times before they block;
   * off by default. It saves waking each thread if the processors are otherwise idle: with one to
   * four threads, whose processors then stay awake, and with dozens that read at once. With other
   * load it makes every wait longer, because a thread that yields runs after all others. Reads at
   * given moments can then be a tenth of a second late.
   *
   * <p>A lone virtual thread yields its carrier up to 5 times in any case.
   */
  public SheafBuilder<K, V> yielding(boolean on) {
    settings.yielding = on;
    return this;
  }

  /**
   * The spans to create if the client resources trace; {@link Observe#commands()} by default, one
   * span for each command that the application calls.
   */
  public SheafBuilder<K, V> observe(Observe observe) {
    settings.observe = Objects.requireNonNull(observe, "observe");
    return this;
  }

  /**
   * Connects. Blocks like {@link Sheaf#connect}.
   *
   * @throws io.lettuce.core.RedisConnectionException if no connection could be opened; the message
   *     says why
   */
  @CheckReturnValue
  public Sheaf<K, V> connect() {
    return new Connector<>(settings.copy()).connect();
  }

  /**
   * Creates a batching Lettuce client for code that connects by itself, without connecting. Uses
   * only the first URI, which must be that of a server or a Sentinel, and not the codec. Requires
   * {@link #clientResources}, which the caller must shut down.
   *
   * @throws IllegalStateException if no client resources were given
   */
  @CheckReturnValue
  public BatchingClient serverClient() {
    return BatchingClient.ofServer(settings.copy());
  }

  /**
   * Creates a batching Lettuce client for a cluster, as {@link #serverClient}. The URIs are its
   * seeds.
   *
   * @throws IllegalStateException if no client resources were given
   */
  @CheckReturnValue
  public BatchingClient clusterClient() {
    return BatchingClient.ofCluster(settings.copy());
  }
}
