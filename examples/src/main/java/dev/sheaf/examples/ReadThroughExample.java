// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads through Redis: a missing value is loaded once, and cached. */
public final class ReadThroughExample {

  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Map<String, String> DATABASE =
      Map.of("example:apple", "red", "example:banana", "yellow");

  private ReadThroughExample() {}

  public static void main(String[] arguments) {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {

      System.out.println(sheaf.readThrough("example:apple", TTL, ReadThroughExample::load));

      List<String> keys = List.of("example:apple", "example:banana", "example:cherry");
      Map<String, String> page = sheaf.readThroughAll(keys, TTL, ReadThroughExample::loadAll);
      page.forEach((key, value) -> System.out.println(key + ": " + value));

      keys.forEach(sheaf.sync()::del);

      // Without Redis, a read calls the loader: slower, but correct.
      if (server.crash()) {
        System.out.println(sheaf.readThrough("example:apple", TTL, ReadThroughExample::load));
      }
    }
  }

  private static @Nullable String load(String key) {
    System.out.println("loading " + key);
    return DATABASE.get(key);
  }

  private static Map<String, String> loadAll(Set<String> missing) {
    Map<String, String> found = new TreeMap<>(DATABASE);
    found.keySet().retainAll(missing);
    return found;
  }
}
