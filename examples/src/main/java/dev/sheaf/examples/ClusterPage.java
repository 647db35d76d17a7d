// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A page of 100 keys on a cluster, all in different slots: a loop, and one call. */
public final class ClusterPage {

  private static final Duration ROUND_TRIP = Duration.ofMillis(1);
  private static final int KEYS = 100;

  private ClusterPage() {}

  public static void main(String[] arguments) {
    List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "example:item:" + i).toList();
    try (ExampleServer server = ExampleServer.startCluster(ROUND_TRIP);
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {

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

      // A key that cannot be read fails alone; the page has the others.
      sheaf.sync().del(keys.get(0));
      sheaf.sync().rpush(keys.get(0), "no string");
      sheaf
          .getAll(keys)
          .forEach(
              (key, result) -> {
                if (result instanceof Result.Failure<String> failure) {
                  System.out.println(key + ": " + failure.error().getMessage());
                }
              });

      sheaf.deleteAll(keys).values().forEach(Result::orNull);
    }
  }

  private static long millisSince(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toMillis();
  }
}
