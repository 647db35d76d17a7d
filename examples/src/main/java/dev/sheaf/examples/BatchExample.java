// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

/** Different commands in one batch, whose results are read later. */
public final class BatchExample {

  private BatchExample() {}

  public static void main(String[] arguments) {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {

      sheaf.sync().set("example:name", "Ada");

      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<@Nullable String> name = batch.get("example:name");
        Deferred<Long> visits = batch.add(redis -> redis.incr("example:visits"));
        Deferred<Long> deleted = batch.add(redis -> redis.del("example:name"));

        // Nothing has been sent yet. The first get() sends all three, in one write.
        System.out.println(name.get() + ", visit " + visits.get());
        System.out.println("deleted: " + deleted.get());
      }

      // A command that fails does not affect the others of its batch.
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<Long> pushed = batch.add(redis -> redis.lpush("example:visits", "no list"));
        Deferred<Long> visits = batch.add(redis -> redis.incr("example:visits"));
        System.out.println("visit " + visits.get());
        pushed.get();
      } catch (RedisCommandExecutionException e) {
        System.out.println("failed: " + e.getMessage());
      }

      sheaf.sync().del("example:visits");
    }
  }
}
