// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.ClusterCommandExecutor;
import org.springframework.data.redis.connection.ClusterTopologyProvider;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection.PipeliningFlushPolicy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.util.ReflectionUtils;

/**
 * Spring's connection factory with a batching client. Everything else, from URIs to pools, is
 * inherited. The client that Spring would have created supplies the settings of the batching one.
 *
 * <p>Thread-safe after its start. Each start creates a new client.
 */
public final class BatchingConnectionFactory extends LettuceConnectionFactory {

  /** Replaces "no limit", which Sheaf does not support. */
  private static final Duration FOREVER = Duration.ofDays(365);

  private final String name;
  private final UnaryOperator<SheafBuilder<String, String>> options;
  private final Consumer<String> notBatching;
  private PipeliningFlushPolicy flushPolicy = PipeliningFlushPolicy.flushEachCommand();
  private @Nullable RedisConfiguration configuration;
  private volatile @Nullable Running running;

  private BatchingConnectionFactory(
      LettuceConnectionFactory template,
      String name,
      UnaryOperator<SheafBuilder<String, String>> options,
      Consumer<String> notBatching) {
    super(template.getStandaloneConfiguration(), template.getClientConfiguration());
    this.name = name;
    this.options = options;
    this.notBatching = notBatching;
  }

  /**
   * Creates a factory with the configuration of another one, which was not started and is no longer
   * used.
   *
   * @param name the name of the bean
   * @param options supplies a builder with all options except Lettuce's
   * @param notBatching called with the reason if its connections cannot batch; can throw
   */
  public static BatchingConnectionFactory like(
      LettuceConnectionFactory template,
      String name,
      UnaryOperator<SheafBuilder<String, String>> options,
      Consumer<String> notBatching) {
    BatchingConnectionFactory factory =
        new BatchingConnectionFactory(template, name, options, notBatching);
    // The executor, the flush policy and a configuration passed as an interface have no getter, and
    // setters added by a later Spring Data would be missed: all fields are copied, without naming
    // any.
    ReflectionUtils.shallowCopyFieldState(template, factory);
    PipeliningFlushPolicy policy = factory.copied(PipeliningFlushPolicy.class);
    if (policy != null) {
      factory.flushPolicy = policy;
    }
    factory.configuration = factory.copied(RedisConfiguration.class);
    return factory;
  }

  /** Returns the copied value of the only field of a type; null if there is none. */
  private <T> @Nullable T copied(Class<T> type) {
    for (Field field : LettuceConnectionFactory.class.getDeclaredFields()) {
      if (field.getType() == type) {
        ReflectionUtils.makeAccessible(field);
        return type.cast(ReflectionUtils.getField(field, this));
      }
    }
    return null;
  }

  /**
   * Returns a factory as a batching one.
   *
   * @throws IllegalStateException if it does not batch; the message says what to do
   */
  public static BatchingConnectionFactory require(@Nullable RedisConnectionFactory factory) {
    if (factory instanceof BatchingConnectionFactory batching) {
      return batching;
    }
    throw new IllegalStateException(
        "Sheaf needs a connection factory of Lettuce that Spring started, but this is "
            + (factory == null ? "none" : "a " + factory.getClass().getName())
            + "; the log says why it was left as it is");
  }

  /** Returns the bean's name. */
  public String name() {
    return name;
  }

  /** Returns whether the factory is started with a batching client. */
  public boolean batches() {
    return running != null;
  }

  @Override
  public void setPipeliningFlushPolicy(PipeliningFlushPolicy policy) {
    super.setPipeliningFlushPolicy(policy);
    flushPolicy = policy;
  }

  @Override
  protected AbstractRedisClient createClient() {
    AbstractRedisClient plain = super.createClient();
    try {
      return batching(plain, urisOf(plain));
    } catch (UnknownServersException unknown) {
      try {
        notBatching.accept(unknown.getMessage());
      } catch (NotBatchingException e) {
        shutDown(plain);
        throw e;
      }
      return plain;
    } catch (RuntimeException e) {
      shutDown(plain);
      throw e;
    }
  }

  private AbstractRedisClient batching(AbstractRedisClient plain, List<RedisURI> uris) {
    SheafBuilder<String, String> builder =
        options
            .apply(Sheaf.builder(uris))
            .clientResources(plain.getResources())
            .clientOptions(plain.getOptions())
            .connectTimeout(orForever(plain.getOptions().getSocketOptions().getConnectTimeout()))
            .commandTimeout(orForever(getClientConfiguration().getCommandTimeout()));
    BatchingClient client =
        plain instanceof RedisClusterClient ? builder.clusterClient() : builder.serverClient();
    running = new Running(client, plain);
    return client.lettuce();
  }

  /** Zero means no limit in Spring and Lettuce. */
  private static Duration orForever(Duration timeout) {
    return timeout.isZero() || timeout.isNegative() ? FOREVER : timeout;
  }

  /**
   * Returns the URIs of the configured servers.
   *
   * @throws UnknownServersException if the configuration is of an unknown kind
   */
  private List<RedisURI> urisOf(AbstractRedisClient plain) {
    if (isClusterAware() || isRedisSentinelAware()) {
      return FactoryUris.of(this, configuration);
    }
    // The addresses of a primary with replicas are passed to no client, and have no getter. The
    // connection provider, which has no target of its own, passes them to each connection.
    LettuceConnectionProvider provider = doCreateConnectionProvider(plain, ByteArrayCodec.INSTANCE);
    return provider instanceof LettuceConnectionProvider.TargetAware
        ? FactoryUris.of(this, configuration)
        : NodesOfConnections.of(
            plain.getResources(),
            client -> doCreateConnectionProvider(client, ByteArrayCodec.INSTANCE));
  }

  @Override
  protected LettuceConnection doCreateLettuceConnection(
      @Nullable StatefulRedisConnection<byte[], byte[]> sharedConnection,
      LettuceConnectionProvider connectionProvider,
      long timeout,
      int database) {
    Running current = running;
    if (current == null) {
      return super.doCreateLettuceConnection(
          sharedConnection, connectionProvider, timeout, database);
    }
    LettuceConnection connection =
        new BatchingConnection(
            faces(current, sharedConnection),
            sharedConnection,
            connectionProvider,
            timeout,
            database);
    connection.setPipeliningFlushPolicy(flushPolicy);
    return connection;
  }

  @Override
  protected LettuceClusterConnection doCreateLettuceClusterConnection(
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> sharedConnection,
      LettuceConnectionProvider connectionProvider,
      ClusterTopologyProvider topologyProvider,
      ClusterCommandExecutor clusterCommandExecutor,
      Duration commandTimeout) {
    Running current = running;
    if (current == null) {
      return super.doCreateLettuceClusterConnection(
          sharedConnection,
          connectionProvider,
          topologyProvider,
          clusterCommandExecutor,
          commandTimeout);
    }
    LettuceClusterConnection connection =
        new BatchingClusterConnection(
            faces(current, sharedConnection),
            sharedConnection,
            connectionProvider,
            topologyProvider,
            clusterCommandExecutor,
            commandTimeout);
    connection.setPipeliningFlushPolicy(flushPolicy);
    return connection;
  }

  /**
   * Returns the loop handling of a connection. A connection that is not shared is opened by Spring
   * when a command needs it. Its loops are handled once something else has opened a connection for
   * Sheaf.
   */
  private Supplier<@Nullable SharedFace> faces(
      Running current, @Nullable StatefulConnection<byte[], byte[]> sharedConnection) {
    if (sharedConnection == null) {
      return current::known;
    }
    SharedFace face = current.faceOf(this, sharedConnection);
    return () -> face;
  }

  /**
   * Returns Sheaf over the connection that the templates of this factory share. It is valid while
   * that connection is the shared one, so callers ask again for each use. Connects if necessary. If
   * the templates share no connection, Sheaf opens its own.
   *
   * @throws RedisConnectionFailureException if Redis is not reachable
   * @throws IllegalStateException if the factory is stopped or does not batch
   */
  public Sheaf<byte[], byte[]> shared() {
    return sharedFace().sheaf();
  }

  /**
   * As {@link #shared}, for callers that cannot wait long for a missing connection. It is opened in
   * the background.
   *
   * @throws IllegalStateException if there is no connection in time, or the factory is stopped or
   *     does not batch; the cause says why
   */
  public Sheaf<byte[], byte[]> sharedWithin(Duration limit) {
    getRequiredNativeClient();
    Running current = requireRunning();
    SharedFace known = current.known();
    if (known != null && known.connection().isOpen()) {
      return known.sheaf();
    }
    try {
      return current.connecting(this).get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "Redis was not connected within " + limit.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("Redis could not be connected: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while Redis was being connected", e);
    }
  }

  /**
   * Returns whether an attempt to connect was made since the start. The first one takes longer,
   * because it loads classes and starts threads.
   */
  public boolean hasTried() {
    Running current = running;
    return current != null && current.hasTried();
  }

  /** Returns the connection of {@link #shared}. */
  public StatefulConnection<byte[], byte[]> sharedConnection() {
    return sharedFace().connection();
  }

  /**
   * Runs one GET that its caller sends and waits for. It is sent, or read ahead in a learned loop.
   */
  public byte @Nullable [] learnedGet(byte[] key, Supplier<byte @Nullable []> send) {
    Running current = running;
    SharedFace known = current == null ? null : current.known();
    return current == null || known == null
        ? send.get()
        : current.client().learnedGet(known.sheaf(), key, send);
  }

  /** Called before the current thread reads what has these ids, with a template of this factory. */
  public void expect(String source, Collection<String> ids) {
    Running current = running;
    SharedFace known = current == null ? null : current.known();
    if (known != null) {
      known.expect(source, ids);
    }
  }

  private SharedFace sharedFace() {
    getRequiredNativeClient(); // Reports the state of the factory if it is not started.
    StatefulConnection<byte[], byte[]> connection =
        isClusterAware() ? getSharedClusterConnection() : getSharedConnection();
    return connection == null
        ? requireRunning().ownFace(this)
        : requireRunning().faceOf(this, connection);
  }

  /**
   * Returns Sheaf with another codec, over a connection of its own that is closed when the factory
   * stops. Connects if necessary.
   *
   * @throws RedisConnectionFailureException if Redis is not reachable
   * @throws IllegalStateException if the factory is stopped or does not batch
   */
  public <K, V> Sheaf<K, V> own(RedisCodec<K, V> codec) {
    getRequiredNativeClient();
    Running current = requireRunning();
    if (current.known() == null) {
      shared(); // Has the guard that others share and must not wait for.
    }
    return current.own(this, codec);
  }

  private Running requireRunning() {
    Running current = running;
    if (current == null) {
      throw new IllegalStateException("The connection factory " + name + " does not batch");
    }
    return current;
  }

  /**
   * Connects as Spring's own connections do.
   *
   * @throws RedisConnectionFailureException if Redis is not reachable
   */
  @SuppressWarnings("unchecked") // The provider returns connections of its codec's types.
  <K, V> StatefulConnection<K, V> connect(RedisCodec<K, V> codec) {
    AbstractRedisClient current = getRequiredNativeClient();
    try {
      return doCreateConnectionProvider(current, codec).getConnection(StatefulConnection.class);
    } catch (RedisException e) {
      throw new RedisConnectionFailureException("Unable to connect to Redis", e);
    }
  }

  @Override
  public void stop() {
    Running last = running;
    running = null;
    if (last != null) {
      last.close(this);
    }
    super.stop();
    if (last != null) {
      last.client().close();
      shutDown(last.plain());
    }
  }

  /** A client that never connected. Resources that were not passed to it are its own. */
  private void shutDown(AbstractRedisClient plain) {
    Duration quiet = getClientConfiguration().getShutdownQuietPeriod();
    Duration timeout = getClientConfiguration().getShutdownTimeout();
    plain.shutdown(quiet.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS);
  }
}
