package dev.sheaf.examples;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A page of 100 keys on a cluster, which are in as many slots: a loop, and one call, which gives
 * what there is when a master is gone.
 */
public final class ClusterPage {

  private static final Duration ROUND_TRIP = Duration.ofMillis(1);
  private static final int KEYS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private ClusterPage() {}

  public static void main(String[] arguments) {
    List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "example:item:" + i).toList();
    try (ExampleServer server = ExampleServer.startCluster(ROUND_TRIP);
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).commandTimeout(PATIENCE).connect()) {

      for (String key : keys) {
        sheaf.sync().set(key, "value of " + key);
      }

      long start = System.nanoTime();
      List<@Nullable String> looped = new ArrayList<>();
      for (String key : keys) {
        looped.add(sheaf.sync().get(key));
      }
      System.out.println("a loop of " + KEYS + " gets: " + millisSince(start) + " ms");

      start = System.nanoTime();
      Map<String, Result<String>> page = sheaf.getAll(keys);
      System.out.println("getAll of " + KEYS + " keys: " + millisSince(start) + " ms");

      List<@Nullable String> values = new ArrayList<>();
      page.values().forEach(result -> values.add(result.orNull()));
      System.out.println("the same values: " + looped.equals(values));

      // A key whose node does not answer fails by itself; the page has the others.
      if (server.crash()) {
        Map<String, Result<String>> rest = sheaf.getAll(keys);
        long lost = rest.values().stream().filter(Result.Failure.class::isInstance).count();
        System.out.println("a master down, read: " + (lost > 0 && lost < KEYS ? "the rest" : lost));
      } else {
        sheaf.deleteAll(keys);
      }
    }
  }

  private static long millisSince(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toMillis();
  }
}
