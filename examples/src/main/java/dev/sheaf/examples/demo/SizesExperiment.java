package dev.sheaf.examples.demo;

import dev.sheaf.Batch;
import dev.sheaf.scripts.Reducer;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The sum of the sizes of very many sorted sets: one number, for which each key has to be asked.
 */
final class SizesExperiment implements Experiment {

  /** The loop alone would take minutes, so that it does one part in this many. */
  private static final int PARTS = 20;

  private static final int MAX_MEMBERS = 3;

  private final List<String> keys;

  SizesExperiment(String keyPrefix, int sets) {
    this.keys = IntStream.range(0, sets).mapToObj(i -> keyPrefix + "followers:" + i).toList();
  }

  @Override
  public String name() {
    return "zcard-" + keys.size();
  }

  @Override
  public String description() {
    return "The members of " + Figures.count(keys.size()) + " sorted sets, counted with ZCARD";
  }

  private static int members(int set) {
    return 1 + set % MAX_MEMBERS;
  }

  private static long members(int sets, int parts) {
    return IntStream.range(0, sets / parts).mapToLong(SizesExperiment::members).sum();
  }

  @Override
  public List<?> expected() {
    return List.of(members(keys.size(), 1));
  }

  @Override
  public List<?> expected(Way way) {
    return List.of(members(keys.size(), way.parts()));
  }

  @Override
  public void prepare(Clients clients) {
    try (Batch<String, String> batch = clients.sheaf().batch()) {
      for (int i = 0; i < keys.size(); i++) {
        String key = keys.get(i);
        for (int member = 0; member < members(i); member++) {
          double score = member;
          batch.add(redis -> redis.zadd(key, score, "follower" + score));
        }
        batch.add(redis -> redis.expire(key, StoredKeys.TIME_TO_LIVE));
      }
    }
  }

  @Override
  public void cleanUp(Clients clients) {
    try (Batch<String, String> batch = clients.sheaf().batch()) {
      keys.forEach(key -> batch.add(redis -> redis.del(key)));
    }
  }

  @Override
  public List<Way> ways(Clients clients) {
    int part = keys.size() / PARTS;
    RegisteredScript<String, Long> sum =
        clients.sheaf().scripts().register(ScriptLibrary.SUM_ZCARD);
    return List.of(
        new Way(
                "naive",
                "Lettuce, zcard(key) in a loop, "
                    + Figures.count(part)
                    + " of them measured, times "
                    + PARTS,
                () -> loop(clients, part))
            .onlyOnce()
            .onePartIn(PARTS),
        new Way("lettuce-async", "Lettuce, all futures, then their replies", () -> async(clients))
            .onlyOnce(),
        new Way(
            "sheaf",
            "Sheaf, scatter(keys) of a script that sums",
            () -> List.of(sum.scatter(keys, List.of(), Reducer.sum()))));
  }

  private List<Long> loop(Clients clients, int part) {
    long sum = 0;
    for (String key : keys.subList(0, part)) {
      sum += clients.lettuce().zcard(key);
    }
    return List.of(sum);
  }

  private List<Long> async(Clients clients) {
    List<RedisFuture<Long>> sizes = new ArrayList<>();
    for (String key : keys) {
      sizes.add(clients.lettuceAsync().zcard(key));
    }
    long sum = 0;
    for (RedisFuture<Long> size : sizes) {
      sum += size.toCompletableFuture().join();
    }
    return List.of(sum);
  }
}
