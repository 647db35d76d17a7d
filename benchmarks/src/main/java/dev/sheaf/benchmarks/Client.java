package dev.sheaf.benchmarks;

import static dev.sheaf.benchmarks.Way.FUTURES;
import static dev.sheaf.benchmarks.Way.LOOP;
import static dev.sheaf.benchmarks.Way.MANY_KEY_CALL;
import static dev.sheaf.benchmarks.Way.PIPELINE;
import static dev.sheaf.benchmarks.Way.READ_AHEAD;
import static dev.sheaf.benchmarks.Way.SIDE_BY_SIDE;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The rivals. Another one is a class that implements {@link Rival} and a line here.
 *
 * <p>All speak UTF-8 strings and keep their defaults, but for what their name says, and for limits
 * that a question would exceed.
 */
public enum Client {
  /** Plain Lettuce with one shared connection: what every ratio refers to. */
  LETTUCE(
      "Lettuce",
      LettuceRival::plain,
      Map.of(
          LOOP,
          "plain loop",
          MANY_KEY_CALL,
          "`mget`",
          FUTURES,
          "futures",
          PIPELINE,
          "flush by hand")),
  /** Lettuce with Netty's handler that merges flushes, even outside of a read. */
  LETTUCE_FLUSH_CONSOLIDATION(
      "Lettuce with flush consolidation",
      LettuceRival::consolidatingFlushes,
      Map.of(
          LOOP,
          "plain loop",
          MANY_KEY_CALL,
          "`mget`",
          FUTURES,
          "futures",
          PIPELINE,
          "flush by hand")),
  /** Jedis with a pool of as many connections (per node) as there are threads. */
  JEDIS(
      "Jedis",
      JedisRival::new,
      Map.of(LOOP, "plain loop", MANY_KEY_CALL, "`mget`", PIPELINE, "pipeline")),
  /** Redisson with its own pool. */
  REDISSON(
      "Redisson",
      RedissonRival::new,
      Map.of(
          LOOP,
          "plain loop",
          MANY_KEY_CALL,
          "`getBuckets`",
          FUTURES,
          "futures",
          PIPELINE,
          "`RBatch`")),
  /** Valkey GLIDE, where its native library loads. */
  GLIDE(
      "GLIDE",
      GlideRival::new,
      Map.of(LOOP, "plain loop", MANY_KEY_CALL, "`mget`", FUTURES, "futures", PIPELINE, "`Batch`")),
  /** Spring's template on plain Lettuce. */
  SPRING_DATA_REDIS(
      "Spring",
      SpringRival::new,
      Map.of(LOOP, "plain loop", MANY_KEY_CALL, "`multiGet`", PIPELINE, "`executePipelined`")),
  /** Sheaf. */
  SHEAF(
      "Sheaf",
      SheafRival::new,
      Map.of(
          LOOP, "plain loop",
          MANY_KEY_CALL, "`getAll`",
          FUTURES, "futures",
          PIPELINE, "`Batch`",
          READ_AHEAD, "`loop(keys)`",
          SIDE_BY_SIDE, "`mapEach`"));

  private static final Set<Client> WITH_PING = EnumSet.of(LETTUCE, JEDIS, GLIDE, SHEAF);

  private final String title;
  private final Connector connector;
  private final Map<Way, String> ways;

  /**
   * As said here.
   *
   * @param ways how it can read many keys, and what that is called
   */
  Client(String title, Connector connector, Map<Way, String> ways) {
    this.title = title;
    this.connector = connector;
    this.ways = ways;
  }

  String title() {
    return title;
  }

  /** What one of its ways to read many keys is called. */
  String nameOf(Way way) {
    String name = ways.get(way);
    return name == null ? way.name() : name;
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
    return ways.containsKey(way)
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
