// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Batch;
import dev.sheaf.Sheaf;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScatterException;
import dev.sheaf.scripts.ScriptLibrary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One script for any number of keys, in slices, so that the server is never busy for long. */
public final class ScatterExample {

  private static final int QUEUES = 2_000;

  private ScatterExample() {}

  public static void main(String[] arguments) {
    List<String> queues = IntStream.range(0, QUEUES).mapToObj(i -> "example:queue:" + i).toList();
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      try (Batch<String, String> batch = sheaf.batch()) {
        queues.forEach(queue -> batch.add(redis -> redis.rpush(queue, "a", "b", "c")));
      }

      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_LLEN);
      Duration budget = Duration.ofMillis(1);
      long waiting = sum.scatter(queues, List.of(), Collectors.summingLong(size -> size), budget);
      System.out.println("waiting in all queues: " + waiting);

      // A slice that fails does not stop the others, and its keys are known.
      sheaf.sync().set("example:no-queue", "text");
      List<String> withMistake = new ArrayList<>(queues);
      withMistake.add("example:no-queue");
      try {
        sum.scatter(withMistake, List.of(), Collectors.summingLong(size -> size), budget);
      } catch (ScatterException e) {
        List<?> failed = e.failures().get(0).keys();
        System.out.println(
            "slices that failed: "
                + e.failures().size()
                + ", of the others known: "
                + e.partial().equals(3L * (withMistake.size() - failed.size())));
      }

      sheaf.sync().del(withMistake.toArray(String[]::new));
    }
  }
}
