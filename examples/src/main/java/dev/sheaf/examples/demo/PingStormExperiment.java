package dev.sheaf.examples.demo;

import dev.sheaf.Batch;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * "Is Redis usable right now?", asked by very many at the same moment, while the client reads big
 * values. What counts is not the time but how many answers come too late to be of use.
 */
final class PingStormExperiment implements Experiment {

  /** When an answer is late: reading from the source of the data is quicker then. */
  private static final Duration LIMIT = Duration.ofMillis(200);

  private static final int VALUE_CHARS = 1 << 20;

  /** In as many slots, so that every node of a small cluster has some. */
  private static final int BIG_VALUES = 6;

  private static final int READS_AT_ONCE = 12;

  private final List<String> keys;
  private final int asks;
  private @Nullable PingPool pool;

  PingStormExperiment(String keyPrefix, int asks) {
    this.asks = asks;
    this.keys =
        IntStream.range(0, BIG_VALUES).mapToObj(i -> keyPrefix + "ping-storm:" + i).toList();
  }

  @Override
  public String name() {
    return "ping-storm";
  }

  @Override
  public String description() {
    return Figures.count(asks)
        + " callers ask at once whether the server answers, while "
        + READS_AT_ONCE
        + " values of 1 MiB are always on their way to the same client; late is an answer after "
        + LIMIT.toMillis()
        + " ms, and the counts include those values";
  }

  @Override
  public List<?> expected() {
    return List.of(asks);
  }

  @Override
  public void prepare(Clients clients) {
    String value = "x".repeat(VALUE_CHARS);
    try (Batch<String, String> batch = clients.sheaf().batch()) {
      keys.forEach(key -> batch.add(redis -> redis.set(key, value)));
    }
    // Both have their connections before the first question.
    pool = new PingPool(clients.uri());
    clients.sheaf().availability();
  }

  @Override
  public void cleanUp(Clients clients) {
    if (pool != null) {
      pool.close();
      pool = null;
    }
    try (Batch<String, String> batch = clients.sheaf().batch()) {
      keys.forEach(key -> batch.add(redis -> redis.del(key)));
    }
  }

  @Override
  public List<Way> ways(Clients clients) {
    PingPool naive = pool;
    if (naive == null) {
      throw new IllegalStateException("prepare() comes first");
    }
    PingStorm pooled = new PingStorm(asks, LIMIT);
    PingStorm shared = new PingStorm(asks, LIMIT);
    return List.of(
        new Way(
                "naive",
                "a PING each, from a pool of " + PingPool.CONNECTIONS + " Lettuce connections",
                () -> busy(clients.lettuceAsync(), pooled, naive::ping))
            .judgedByLateness(pooled::lateShare)
            .onlyOnce(),
        new Way(
                "sheaf",
                "availability().pingAsync()",
                () ->
                    busy(
                        clients.sheaf().async(), shared, clients.sheaf().availability()::pingAsync))
            .judgedByLateness(shared::lateShare));
  }

  private List<?> busy(
      RedisClusterAsyncCommands<String, String> commands,
      PingStorm storm,
      Supplier<? extends CompletionStage<?>> ask) {
    BigReads reads = new BigReads(commands, keys, READS_AT_ONCE);
    try {
      return List.of(storm.run(ask));
    } finally {
      reads.close();
    }
  }
}
