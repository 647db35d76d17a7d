// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.client.ClientAssembly;
import dev.sheaf.internal.client.ClientSettings;
import dev.sheaf.internal.client.DefaultSheaf;
import dev.sheaf.internal.common.Uris;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.CoalescingClusterClient;
import dev.sheaf.internal.connect.CoalescingRedisClient;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.connect.NodeSources;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.sync.LoopPlaces;
import dev.sheaf.internal.sync.LoopSampler;
import dev.sheaf.internal.wait.Deadlines;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce client whose connections batch, for code that makes its connections by itself: a
 * framework, a pool. {@link Sheaf#connect} is for all others.
 *
 * <pre>{@code
 * BatchingClient batching = Sheaf.builder(List.of(uri)).clientResources(resources).serverClient();
 * RedisClient client = (RedisClient) batching.lettuce();       // to be used as any RedisClient
 * StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
 * Sheaf<byte[], byte[]> sheaf = batching.over(connection, ByteArrayCodec.INSTANCE);
 * }</pre>
 *
 * <p>All connections of one client share its options, its meters, and what {@link Sheaf#loop} has
 * to know of writes: a write through any of them voids what a loop has read ahead over another.
 * Connections for pub/sub and to Sentinels are plain ones.
 *
 * <p>Thread-safe.
 */
public final class BatchingClient implements AutoCloseable {

  private final ClientSettings<?, ?> settings;
  private final ClientContext context;
  private final Deadlines deadlines;
  private final ClientResources resources;
  private final AbstractRedisClient lettuce;
  private final @Nullable LoopSampler loopDetector;
  private final LoopPlaces loopPlaces;

  private BatchingClient(ClientSettings<?, ?> settings, boolean cluster) {
    ClientResources given = settings.clientResources;
    if (given == null) {
      throw new IllegalStateException("A client that does not connect needs clientResources(…)");
    }
    this.settings = settings;
    this.resources = given;
    this.context =
        ClientAssembly.context(
            settings, uri(), ClientAssembly.meters(settings), ClientAssembly.compression(settings));
    this.deadlines = new Deadlines(context.commandTimeout(), settings.yielding);
    this.lettuce =
        cluster
            ? CoalescingClusterClient.create(
                given, settings.uris, context, deadlines, settings.topologySources)
            : CoalescingRedisClient.create(given, uri(), context, deadlines);
    setOptions();
    ClientAssembly.attachDictionaries(context, lettuce, uri(), given);
    this.loopPlaces = ClientAssembly.loopPlaces(settings);
    this.loopDetector =
        settings.loopDetection
            ? new LoopSampler(
                settings.meterRegistry,
                settings.name,
                settings.loopAdvice,
                null,
                given.eventExecutorGroup())
            : null;
  }

  static BatchingClient ofServer(ClientSettings<?, ?> settings) {
    return new BatchingClient(settings, false);
  }

  static BatchingClient ofCluster(ClientSettings<?, ?> settings) {
    return new BatchingClient(settings, true);
  }

  private void setOptions() {
    var given = settings.clientOptions;
    if (given == null) {
      return;
    }
    if (lettuce instanceof RedisClusterClient cluster) {
      cluster.setOptions(CoalescingClusterClient.suited(given));
    } else {
      ((CoalescingRedisClient) lettuce).setOptions(given);
    }
  }

  private RedisURI uri() {
    return settings.uris.get(0);
  }

  /**
   * The client: a {@link io.lettuce.core.RedisClient} or, of a cluster, a {@link
   * RedisClusterClient}. It is shut down as any other; so is everything that {@link #over} gave.
   */
  public AbstractRedisClient lettuce() {
    return lettuce;
  }

  /**
   * Sheaf's own calls over a connection that this client has made. They use its socket.
   *
   * <p>Does not block; the availability guard connects when it is first asked. To close the result
   * ends what it holds beside the connection, which stays open.
   *
   * @param connection to a server, to a primary and its replicas, or to a cluster
   * @param codec the connection's own
   * @throws IllegalArgumentException if it is a connection of another kind
   */
  public <K, V> Sheaf<K, V> over(StatefulConnection<K, V> connection, RedisCodec<K, V> codec) {
    ConnectedServer<K, V> server = server(connection);
    RedisURI bounded = Uris.withTimeout(uri(), settings.connectTimeout);
    return new ClientAssembly(settings, context, resources, loopDetector, loopPlaces)
        .over(
            server, codec, NodeSources.of(server, codec, bounded), failsFast(), () -> {}, () -> {});
  }

  /**
   * As {@link #over(StatefulConnection, RedisCodec)}, with the availability guard of another one,
   * so that the nodes are watched and measured once.
   *
   * @param watched gives one of {@link #over} that keeps a guard, asked with each question to the
   *     guard; does not wait
   * @throws IllegalArgumentException if it is a connection of another kind
   */
  public <K, V> Sheaf<K, V> over(
      StatefulConnection<K, V> connection,
      RedisCodec<K, V> codec,
      Supplier<? extends Sheaf<byte[], byte[]>> watched) {
    NodeWatch<K> watch =
        NodeWatch.borrowed(() -> known(watched.get()).watch(), key -> bytes(codec.encodeKey(key)));
    return new ClientAssembly(settings, context, resources, loopDetector, loopPlaces)
        .over(server(connection), codec, watch, () -> {}, () -> {});
  }

  /** Whether the guard is needed though nothing asks it. */
  private boolean failsFast() {
    AvailabilityOptions chosen = settings.availability;
    return chosen != null && chosen.failFastWhileDown();
  }

  private static byte[] bytes(ByteBuffer encoded) {
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  private static <K, V> DefaultSheaf<K, V> known(Sheaf<K, V> sheaf) {
    if (sheaf instanceof DefaultSheaf<K, V> known) {
      return known;
    }
    throw new IllegalArgumentException("Not made by this client: " + sheaf.getClass().getName());
  }

  private <K, V> ConnectedServer<K, V> server(StatefulConnection<K, V> connection) {
    if (connection instanceof StatefulRedisClusterConnection<K, V> cluster) {
      return ConnectedServer.of(cluster, lettuce);
    }
    if (connection instanceof StatefulRedisConnection<K, V> server) {
      return ConnectedServer.of(server, lettuce);
    }
    throw new IllegalArgumentException(
        "A connection to a server or a cluster is needed, but this is a "
            + connection.getClass().getName());
  }

  /**
   * Lets blocking commands of another interface take part in what the calling thread is in the
   * middle of, as those of {@link Sheaf#sync} do: {@link Sheaf#loop}, {@link Sheaf#batch} and
   * {@link Sheaf#loops}.
   *
   * @param sheaf one of {@link #over}
   * @param type an interface whose methods send one command each, and in which a {@code get} with
   *     one argument is GET, with the keys and values of {@code sheaf}
   * @param commands sends them by the connection of {@code sheaf}, or by another of this client
   * @param waits whether the commands wait for their replies now; while it says no, in a pipeline
   *     or a transaction, calls pass as they are
   * @return an object of that interface, as thread-safe as {@code commands}
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public <T> T blocking(Sheaf<?, ?> sheaf, Class<T> type, T commands, BooleanSupplier waits) {
    return known(sheaf).blocking(type, commands, waits);
  }

  /**
   * Lets one blocking GET take part in what the calling thread is in the middle of, as those of
   * {@link #blocking} do, without an object for its connection.
   *
   * @param sheaf one of {@link #over}
   * @param send sends the GET by the connection of {@code sheaf}, or by another of this client, and
   *     waits for its reply; not called if a loop has read the value ahead
   * @return the value, or null if there is none
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public <K, V> @Nullable V blockingGet(
      Sheaf<K, V> sheaf, K key, Supplier<? extends @Nullable V> send) {
    return known(sheaf).blockingGet(key, send);
  }

  /**
   * One GET that the caller sends and waits for by itself, as one of a loop that a client may have
   * {@link SheafBuilder#learnLoops learned}; others only send it.
   *
   * @param sheaf one of {@link #over}
   * @param send sends the GET, waits, and gives the value, or null if there is none
   * @return the value: of {@code send}, or read ahead
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public <K, V> @Nullable V learnedGet(
      Sheaf<K, V> sheaf, K key, Supplier<? extends @Nullable V> send) {
    return known(sheaf).learnedGet(key, send);
  }

  /** Whether it {@link SheafBuilder#learnLoops learns loops}. */
  public boolean learnsLoops() {
    return loopPlaces.learns();
  }

  /**
   * Says which ids the keys of the calling thread's next loop are made of, for a client that {@link
   * SheafBuilder#learnLoops learns loops}; to others it says nothing. It counts as if the thread
   * had read the ids from the server: nothing is read ahead before three such loops were foreseen.
   *
   * @param sheaf one of {@link #over}
   * @param source where the ids come from, as reports name it
   * @param ids strings, numbers or byte arrays; others are left out
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public void expect(Sheaf<?, ?> sheaf, String source, Collection<?> ids) {
    known(sheaf).expect(source, ids);
  }

  /** Ends what its connections share. The Lettuce client is to be shut down before. */
  @Override
  public void close() {
    deadlines.close();
    if (loopDetector != null) {
      loopDetector.close();
    }
    CompressionEngine compression = context.compression();
    if (compression != null) {
      compression.close();
    }
  }
}
