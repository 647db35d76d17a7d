// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Sequential loops that need few round trips, and the detector that finds those that do not. */
public final class LoopExample {

  private static final int ITEMS = 100;

  private LoopExample() {}

  public static void main(String[] arguments) {
    List<String> keys = IntStream.range(0, ITEMS).mapToObj(i -> "example:item:" + i).toList();
    Map<String, String> items = new TreeMap<>();
    keys.forEach(key -> items.put(key, "example:price:" + key.length()));
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().mset(items);

      int read = 0;
      for (String key : sheaf.loop(keys)) { // was: for (String key : keys)
        read += sheaf.sync().get(key) == null ? 0 : 1;
      }
      System.out.println("read ahead: " + read);

      // Bodies whose next read depends on the last one run concurrently.
      List<Boolean> priced =
          sheaf.mapEach(keys, key -> sheaf.sync().get(sheaf.sync().get(key)) != null);
      System.out.println("with a price: " + priced.stream().filter(found -> found).count());

      // An error is thrown at the get of its own key, as without the loop.
      sheaf.sync().del(keys.get(1));
      sheaf.sync().rpush(keys.get(1), "not a string");
      try {
        for (String key : sheaf.loop(keys)) {
          sheaf.sync().get(key);
        }
      } catch (RedisCommandExecutionException e) {
        System.out.println("failed: " + e.getMessage());
      }

      for (String key : keys) {
        sheaf.sync().exists(key); // an unchanged loop
      }
      for (LoopReport loop : sheaf.loops()) {
        System.out.println("found: " + loop.command() + " in " + simpleName(loop.callSite()));
      }

      sheaf.sync().del(keys.toArray(String[]::new));
    }
  }

  private static String simpleName(String callSite) {
    return callSite.replaceFirst("^.*\\.(\\w+\\.\\w+)\\(.*$", "$1");
  }
}
