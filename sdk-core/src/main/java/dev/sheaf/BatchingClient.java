// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.client.ClientAssembly;
import dev.sheaf.internal.client.ClientSettings;
import dev.sheaf.internal.client.DefaultSheaf;
import dev.sheaf.internal.common.ClientThreads;
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
 * A Lettuce client with batching connections, for code that opens connections itself, such as a
 * framework or a pool. All others use {@link Sheaf#connect}.
 *
 * <pre>{@code
 * BatchingClient batching = Sheaf.builder(List.of(uri)).clientResources(resources).serverClient();
 * RedisClient client = (RedisClient) batching.lettuce();       // to be used as any RedisClient
 * StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
 * Sheaf<byte[], byte[]> sheaf = batching.over(connection, ByteArrayCodec.INSTANCE);
 * }</pre>
 *
 * <p>All connections of one client share its options and its meters. A write through one of them
 * also invalidates the values that {@link Sheaf#loop} has read ahead through another. Connections
 * for pub/sub and to Sentinels do not batch.
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
    this.deadlines = new Deadlines(context.commandTimeout(), context.yields());
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
                ClientThreads.of(given))
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
   * The Lettuce client: a {@link io.lettuce.core.RedisClient} or, for a cluster, a {@link
   * RedisClusterClient}. Shut it down like any other, after closing the results of {@link #over}.
   */
  public AbstractRedisClient lettuce() {
    return lettuce;
  }

  /**
   * Returns Sheaf's interface to a connection that this client has opened. It uses the connection's
   * socket.
   *
   * <p>Does not block; the availability guard connects on first use. Closing the result does not
   * close the connection.
   *
   * @param connection to a server, to a primary and its replicas, or to a cluster
   * @param codec the codec of the connection
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
   * As {@link #over(StatefulConnection, RedisCodec)}, with the availability guard of another
   * instance, so that the nodes are watched and measured once.
   *
   * @param watched supplies a result of {@link #over} that has a guard; called at each use of the
   *     guard, and must not block
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
   * Makes blocking commands of another interface work with {@link Sheaf#loop}, {@link Sheaf#batch}
   * and {@link Sheaf#loops}, like those of {@link Sheaf#sync}.
   *
   * @param sheaf a result of {@link #over}
   * @param type an interface whose methods send one command each. A {@code get} with one argument
   *     must be GET, with the keys and values of {@code sheaf}
   * @param commands sends the commands through the connection of {@code sheaf} or another one of
   *     this client
   * @param waits whether commands wait for their replies now. While false, as in a pipeline or a
   *     transaction, calls are passed on unchanged
   * @return an object of that interface, as thread-safe as {@code commands}
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public <T> T blocking(Sheaf<?, ?> sheaf, Class<T> type, T commands, BooleanSupplier waits) {
    return known(sheaf).blocking(type, commands, waits);
  }

  /**
   * Makes a single blocking GET, with the same effect as through {@link #blocking} but without an
   * object for each connection.
   *
   * @param sheaf a result of {@link #over}
   * @param send sends the GET through the connection of {@code sheaf} or another one of this
   *     client, and waits for its reply; not called if a loop has read the value ahead
   * @return the value, or null if the key does not exist
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public <K, V> @Nullable V blockingGet(
      Sheaf<K, V> sheaf, K key, Supplier<? extends @Nullable V> send) {
    return known(sheaf).blockingGet(key, send);
  }

  /**
   * Makes a GET that may be part of a {@link SheafBuilder#learnLoops learned} loop. A client that
   * does not learn loops only calls {@code send}.
   *
   * @param sheaf a result of {@link #over}
   * @param send sends the GET, waits, and returns the value, or null if the key does not exist
   * @return the value, from {@code send} or read ahead
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
   * Announces the ids from which the keys of the calling thread's next loop are made, for a client
   * that {@link SheafBuilder#learnLoops learns loops}; has no effect on others. It counts as if the
   * thread had read the ids from the server: nothing is read ahead before three loops were
   * predicted.
   *
   * @param sheaf a result of {@link #over}
   * @param source the origin of the ids, for reports
   * @param ids strings, numbers or byte arrays; others are ignored
   * @throws IllegalArgumentException if {@code sheaf} is not of this library
   */
  public void expect(Sheaf<?, ?> sheaf, String source, Collection<?> ids) {
    known(sheaf).expect(source, ids);
  }

  /** Releases what the connections share. Shut down the Lettuce client first. */
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
