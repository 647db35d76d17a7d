package dev.sheaf.benchmarks;

import static dev.sheaf.benchmarks.Way.FUTURES;
import static dev.sheaf.benchmarks.Way.LOOP;
import static dev.sheaf.benchmarks.Way.MANY_KEY_CALL;
import static dev.sheaf.benchmarks.Way.PIPELINE;
import static dev.sheaf.benchmarks.Way.READ_AHEAD;
import static dev.sheaf.benchmarks.Way.SIDE_BY_SIDE;

import java.util.EnumSet;
import java.util.Set;

/**
 * The rivals. Another one is a class that implements {@link Rival} and a line here.
 *
 * <p>All speak UTF-8 strings and keep their defaults, but for what their name says.
 */
public enum Client {
  /** Plain Lettuce with one shared connection: what every ratio refers to. */
  LETTUCE(LettuceRival::plain, EnumSet.of(LOOP, MANY_KEY_CALL, FUTURES, PIPELINE)),
  /** Lettuce with Netty's handler that merges flushes, even outside of a read. */
  LETTUCE_FLUSH_CONSOLIDATION(
      LettuceRival::consolidatingFlushes, EnumSet.of(LOOP, MANY_KEY_CALL, FUTURES, PIPELINE)),
  /** Jedis with a pool of as many connections (per node) as there are threads. */
  JEDIS(JedisRival::new, EnumSet.of(LOOP, MANY_KEY_CALL, PIPELINE)),
  /** Redisson with its own pool. */
  REDISSON(RedissonRival::new, EnumSet.of(LOOP, MANY_KEY_CALL, FUTURES, PIPELINE)),
  /** Valkey GLIDE, where its native library loads. */
  GLIDE(GlideRival::new, EnumSet.of(LOOP, MANY_KEY_CALL, FUTURES, PIPELINE)),
  /** Spring's template on plain Lettuce. */
  SPRING_DATA_REDIS(SpringRival::new, EnumSet.of(LOOP, MANY_KEY_CALL, PIPELINE)),
  /** Sheaf. */
  SHEAF(
      SheafRival::new,
      EnumSet.of(LOOP, MANY_KEY_CALL, FUTURES, PIPELINE, READ_AHEAD, SIDE_BY_SIDE));

  private static final Set<Client> WITH_PING = EnumSet.of(LETTUCE, JEDIS, GLIDE, SHEAF);

  private final Connector connector;
  private final Set<Way> ways;

  Client(Connector connector, Set<Way> ways) {
    this.connector = connector;
    this.ways = ways;
  }

  /**
   * Connects.
   *
   * @param threads how many threads will use the client at once
   */
  Rival connect(ServerKind kind, String uri, int threads) {
    return connector.connect(kind, uri, threads);
  }

  /** Whether the client has that way of reading many keys, spread over all slots on a cluster. */
  boolean offers(Way way, ServerKind kind) {
    return ways.contains(way)
        && !(this == JEDIS && way == MANY_KEY_CALL && kind == ServerKind.CLUSTER)
        && !(this == SPRING_DATA_REDIS && way == PIPELINE && kind == ServerKind.CLUSTER);
  }

  /** Whether the client can be asked to PING. */
  boolean pings() {
    return WITH_PING.contains(this);
  }

  /** Whether the client runs on this machine; if not, {@link GlideRival#absence} says why. */
  boolean runsHere() {
    return this != GLIDE || GlideRival.absence() == null;
  }

  /** Makes a connected client. */
  interface Connector {
    Rival connect(ServerKind kind, String uri, int threads);
  }
}
