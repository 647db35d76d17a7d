package dev.sheaf.benchmarks;

import java.util.EnumSet;
import java.util.Set;

/**
 * The rivals. Another one is a class that implements {@link Rival} and a line here.
 *
 * <p>All speak UTF-8 strings and keep their defaults, but for what their name says.
 */
public enum Client {
  /** Plain Lettuce with one shared connection: what every ratio refers to. */
  LETTUCE(LettuceRival::plain, EnumSet.allOf(Way.class)),
  /** Lettuce with Netty's handler that merges flushes, even outside of a read. */
  LETTUCE_FLUSH_CONSOLIDATION(LettuceRival::consolidatingFlushes, EnumSet.allOf(Way.class)),
  /** Jedis with a pool of as many connections (per node) as there are threads. */
  JEDIS(JedisRival::new, EnumSet.of(Way.MANY_KEY_CALL, Way.PIPELINE)),
  /** Sheaf. */
  SHEAF(SheafRival::new, EnumSet.allOf(Way.class));

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
        && !(this == JEDIS && way == Way.MANY_KEY_CALL && kind == ServerKind.CLUSTER);
  }

  /** Makes a connected client. */
  interface Connector {
    Rival connect(ServerKind kind, String uri, int threads);
  }
}
