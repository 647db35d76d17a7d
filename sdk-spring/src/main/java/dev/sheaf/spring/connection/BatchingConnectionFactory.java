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
 * Spring's connection factory with a client that batches. Everything else, from URIs to pools, is
 * Spring's own: the client that it would have made says what the one that batches is made of.
 *
 * <p>Thread-safe once it is started. Each start makes a client of its own.
 */
public final class BatchingConnectionFactory extends LettuceConnectionFactory {

  /** In place of no limit, which Sheaf does not have. */
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
   * A factory that is configured as another one is, which was not started and is not used any more.
   *
   * @param name of the bean
   * @param options gives a builder all options but those of Lettuce
   * @param notBatching told why its connections do not batch, if they cannot; may throw
   */
  public static BatchingConnectionFactory like(
      LettuceConnectionFactory template,
      String name,
      UnaryOperator<SheafBuilder<String, String>> options,
      Consumer<String> notBatching) {
    BatchingConnectionFactory factory =
        new BatchingConnectionFactory(template, name, options, notBatching);
    // Its executor, its flush policy and a configuration that was given as an interface have no
    // getter, and a setter that a later Spring Data adds would be missed: all fields, by no name.
    ReflectionUtils.shallowCopyFieldState(template, factory);
    PipeliningFlushPolicy policy = factory.copied(PipeliningFlushPolicy.class);
    if (policy != null) {
      factory.flushPolicy = policy;
    }
    factory.configuration = factory.copied(RedisConfiguration.class);
    return factory;
  }

  /** What was copied into the one field of a type; null if there is none. */
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
   * The factory as one that batches.
   *
   * @throws IllegalStateException if it does not; the message says what to do
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

  /** The bean's name. */
  public String name() {
    return name;
  }

  /** Whether it is started, and its client is one that batches. */
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

  /** Zero means no limit to Spring and Lettuce. */
  private static Duration orForever(Duration timeout) {
    return timeout.isZero() || timeout.isNegative() ? FOREVER : timeout;
  }

  /**
   * Where the client connects to, as the configuration says.
   *
   * @throws UnknownServersException if it does not say it in a form that this starter knows
   */
  private List<RedisURI> urisOf(AbstractRedisClient plain) {
    if (isClusterAware() || isRedisSentinelAware()) {
      return FactoryUris.of(this, configuration);
    }
    // A primary and its replicas are given to no client, and no getter has them; the provider of
    // connections, which has no target of its own, gives them to each connection.
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
   * What sees to the loops of a connection. One that shares nothing is opened by Spring when a
   * command needs it, so its loops are seen to from when something else has opened a connection for
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
   * Sheaf over the connection that this factory's templates share, for as long as that is the one;
   * to be asked for anew with each use. Connects, if need be; if the templates share none, a
   * connection of its own.
   *
   * @throws RedisConnectionFailureException if Redis cannot be connected
   * @throws IllegalStateException if the factory is stopped, or does not batch
   */
  public Sheaf<byte[], byte[]> shared() {
    return sharedFace().sheaf();
  }

  /**
   * As {@link #shared}, for callers who cannot wait long for a connection that is not there yet; it
   * is opened behind their backs.
   *
   * @throws IllegalStateException if there is none in time, or the factory is stopped or does not
   *     batch; the cause says why
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
   * Whether it was ever tried to connect since the start. The first time takes longer: classes are
   * loaded, threads started.
   */
  public boolean hasTried() {
    Running current = running;
    return current != null && current.hasTried();
  }

  /** The connection of {@link #shared}. */
  public StatefulConnection<byte[], byte[]> sharedConnection() {
    return sharedFace().connection();
  }

  /**
   * One GET that its caller sends and waits for by itself: sent, or read ahead in a loop that was
   * learned.
   */
  public byte @Nullable [] learnedGet(byte[] key, Supplier<byte @Nullable []> send) {
    Running current = running;
    SharedFace known = current == null ? null : current.known();
    return current == null || known == null
        ? send.get()
        : current.client().learnedGet(known.sheaf(), key, send);
  }

  /** The current thread is about to read what has these ids, by a template of this factory. */
  public void expect(String source, Collection<String> ids) {
    Running current = running;
    SharedFace known = current == null ? null : current.known();
    if (known != null) {
      known.expect(source, ids);
    }
  }

  private SharedFace sharedFace() {
    getRequiredNativeClient(); // Says in which state the factory is, if it is not started.
    StatefulConnection<byte[], byte[]> connection =
        isClusterAware() ? getSharedClusterConnection() : getSharedConnection();
    return connection == null
        ? requireRunning().ownFace(this)
        : requireRunning().faceOf(this, connection);
  }

  /**
   * Sheaf with a codec of its own, over a connection of its own, which is closed when the factory
   * stops. Connects, if that was not done.
   *
   * @throws RedisConnectionFailureException if Redis cannot be connected
   * @throws IllegalStateException if the factory is stopped, or does not batch
   */
  public <K, V> Sheaf<K, V> own(RedisCodec<K, V> codec) {
    getRequiredNativeClient();
    Running current = requireRunning();
    if (current.known() == null) {
      shared(); // Has the guard that others borrow, which are not to wait for it.
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
   * Connects, as Spring's own connections are.
   *
   * @throws RedisConnectionFailureException if Redis cannot be connected
   */
  @SuppressWarnings("unchecked") // The provider gives what its codec says.
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

  /** A client that never connected; but resources that nobody gave it are its own. */
  private void shutDown(AbstractRedisClient plain) {
    Duration quiet = getClientConfiguration().getShutdownQuietPeriod();
    Duration timeout = getClientConfiguration().getShutdownTimeout();
    plain.shutdown(quiet.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS);
  }
}
