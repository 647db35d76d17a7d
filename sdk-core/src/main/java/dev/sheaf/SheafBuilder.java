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
 * The options of a client. Not thread-safe. A builder may connect several times; what it is told
 * later changes nothing for the clients that it has made.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class SheafBuilder<K, V> {

  /** How long to wait for a connection and for the server's first answers by default: 5 seconds. */
  public static final Duration DEFAULT_CONNECT_TIMEOUT = ClientSettings.CONNECT_TIMEOUT;

  /** How many keys of a large read are under way at once, so that memory stays bounded. */
  public static final int KEYS_PER_SLICE = Limits.KEYS_PER_SLICE;

  /**
   * How many request bytes of {@link Sheaf#setAll(java.util.Map) setAll} gather before they are
   * sent to make room for the next: 1 MiB, sixteen full writes. A smaller {@code maxQueuedBytes}
   * lowers it.
   */
  public static final int BYTES_PER_SLICE = Limits.BYTES_PER_SLICE;

  /** The shortest time to live: 1 millisecond, which is as fine as the server counts. */
  public static final Duration MIN_TTL = Limits.MIN_TTL;

  /**
   * The longest time to live: 365,000 days. Servers refuse times whose end their clock cannot
   * express, and differ in where that is.
   */
  public static final Duration MAX_TTL = Limits.MAX_TTL;

  /** How many bodies one {@link Sheaf#mapEach} runs at a time: enough to fill batches. */
  public static final int MAP_EACH_BODIES = Limits.MAP_EACH_BODIES;

  /**
   * How many threads a client has for {@link Sheaf#mapEach} where the JVM has no virtual threads:
   * enough to run a page of a hundred bodies in one turn. They end when they are idle.
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

  /** Keys and values of other types. This builder is left as it is; the result has its options. */
  @CheckReturnValue
  public <K2, V2> SheafBuilder<K2, V2> codec(RedisCodec<K2, V2> codec) {
    return new SheafBuilder<>(settings.withCodec(Objects.requireNonNull(codec, "codec")));
  }

  /**
   * How long connecting may take for each address, the server's first answers included; {@link
   * #DEFAULT_CONNECT_TIMEOUT} by default. Client options that are given keep their own for the
   * socket.
   *
   * @throws IllegalArgumentException if it is not positive
   */
  public SheafBuilder<K, V> connectTimeout(Duration timeout) {
    settings.connectTimeout = OptionChecks.positive("connectTimeout", timeout);
    return this;
  }

  /**
   * How long a command may take from its call; by default what the URI says ({@code ?timeout=2s}),
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
   * Compresses values, and reads those that are compressed; without options it does neither. A
   * compressed value is unreadable to clients that do not know its format, so first let all clients
   * read ({@link CompressionOptions#readOnly()}), then let them write.
   */
  public SheafBuilder<K, V> compression(CompressionOptions options) {
    settings.compression = Objects.requireNonNull(options, "options");
    return this;
  }

  /** Lettuce's options: sockets, TLS, reconnects, protocol; for a cluster a subclass of them. */
  public SheafBuilder<K, V> clientOptions(ClientOptions options) {
    settings.clientOptions = Objects.requireNonNull(options, "options");
    return this;
  }

  /**
   * Lettuce's threads and timers, to share them with other clients; they stay yours to shut down.
   */
  public SheafBuilder<K, V> clientResources(ClientResources resources) {
    settings.clientResources = Objects.requireNonNull(resources, "resources");
    return this;
  }

  /** The client's name in its meters, to tell several apart; "default" by default. */
  public SheafBuilder<K, V> name(String name) {
    settings.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /** Where the client registers its meters; without a registry it measures nothing. */
  public SheafBuilder<K, V> meterRegistry(MeterRegistry registry) {
    settings.meterRegistry = Objects.requireNonNull(registry, "registry");
    return this;
  }

  /**
   * How {@link Sheaf#availability()} asks and judges. With options the guard's connections are
   * opened when the client connects, without delaying it; else, with {@link
   * AvailabilityOptions#defaults()}, at the first call of {@code availability()} or a read-through.
   */
  public SheafBuilder<K, V> availability(AvailabilityOptions options) {
    settings.availability = Objects.requireNonNull(options, "options");
    return this;
  }

  /**
   * When a connection that stays broken is closed and made anew; {@link HealingOptions#defaults()}
   * by default.
   */
  public SheafBuilder<K, V> healing(HealingOptions options) {
    settings.healing = Objects.requireNonNull(options, "options");
    return this;
  }

  /**
   * How many nodes of a cluster are asked for the topology at once, drawn at random, at most; 10 by
   * default. Each is a short connection: of a thousand clients that look at once to each of a
   * hundred nodes, a hundred thousand. The seeds are asked as well while no other node is known.
   *
   * <p>Lettuce's {@code ReadFrom.LOWEST_LATENCY} knows the latency of nodes that were asked, so
   * with that, set it to their number. With {@code dynamicRefreshSources(false)} in {@link
   * #clientOptions} the seeds alone are asked, and this does not matter.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public SheafBuilder<K, V> topologySources(int nodes) {
    settings.topologySources = OptionChecks.atLeast(1, "topologySources", nodes);
    return this;
  }

  /**
   * Whether to look for loops that could batch, see {@link Sheaf#loops}; on by default, since it
   * costs a call some tens of nanoseconds.
   */
  public SheafBuilder<K, V> loopDetection(boolean on) {
    settings.loopDetection = on;
    return this;
  }

  /**
   * What the log line about a loop advises, for a framework or a team that has its own ways to
   * batch; by default this client's, as {@code sheaf.loop(keys) or getAll} for GET.
   *
   * @param remedy gives the means for the name of a command, to stand before "would have saved 99
   *     round trips"
   */
  public SheafBuilder<K, V> loopAdvice(Function<String, String> remedy) {
    settings.loopAdvice = Objects.requireNonNull(remedy, "remedy");
    return this;
  }

  /**
   * Learns loops that nobody declared: where a place in the code has read, three times in a row,
   * the keys that its first two foretell, the first key of its next loop brings those to come, as
   * {@link Sheaf#loop} does. Off by default: then nothing is learned or read ahead.
   *
   * <p>A value that was read ahead is handed out for its own key, once, to the same thread, within
   * 50 milliseconds of its request, and not after this client has written the key. What other
   * clients write meanwhile is seen that much later.
   */
  public SheafBuilder<K, V> learnLoops(boolean on) {
    settings.loopLearning = on ? LoopLearning.defaults() : null;
    return this;
  }

  /**
   * Learns loops, as {@link #learnLoops(boolean)}, with limits of one's own.
   *
   * @param maxAge how long a value that was read ahead may wait to be handed out, from its request
   *     on, up to 1 minute; it must be longer than a round trip
   * @param maxVainPercent which share of the reads of a place may be in vain before nothing is read
   *     ahead there any more, in percent, 1 to 100; 25 unless given
   * @throws IllegalArgumentException if one is out of its range; the message names it
   */
  public SheafBuilder<K, V> learnLoops(Duration maxAge, int maxVainPercent) {
    settings.loopLearning = new LoopLearning(maxAge, maxVainPercent);
    return this;
  }

  /**
   * Whether threads that wait for replies yield the processor up to 100 times before they park; off
   * by default. It saves the wake-up of each thread where processors have nothing else to do and
   * dozens of threads read at once. Where other work wants the processors it makes every wait
   * longer: a thread that yields goes behind all that computes.
   */
  public SheafBuilder<K, V> yielding(boolean on) {
    settings.yielding = on;
    return this;
  }

  /**
   * Which spans there are, if the client resources trace; {@link Observe#commands()} by default, a
   * span for each command that the application calls.
   */
  public SheafBuilder<K, V> observe(Observe observe) {
    settings.observe = Objects.requireNonNull(observe, "observe");
    return this;
  }

  /**
   * Connects. Blocks as {@link Sheaf#connect} does.
   *
   * @throws io.lettuce.core.RedisConnectionException if no connection could be made; the message
   *     says why
   */
  @CheckReturnValue
  public Sheaf<K, V> connect() {
    return new Connector<>(settings.copy()).connect();
  }

  /**
   * Makes a Lettuce client that batches, for code that connects by itself; nothing is connected
   * yet. The URI must be one of a server or a Sentinel; others than the first are not used, nor is
   * the codec. It needs {@link #clientResources}, which stay the caller's.
   *
   * @throws IllegalStateException if no client resources were given
   */
  @CheckReturnValue
  public BatchingClient serverClient() {
    return BatchingClient.ofServer(settings.copy());
  }

  /**
   * Makes a Lettuce client of a cluster that batches, as {@link #serverClient}; the URIs are its
   * seeds.
   *
   * @throws IllegalStateException if no client resources were given
   */
  @CheckReturnValue
  public BatchingClient clusterClient() {
    return BatchingClient.ofCluster(settings.copy());
  }
}
