// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** One client, three styles: blocking, futures and publishers. */
public final class PlainClient {

  private PlainClient() {}

  public static void main(String[] arguments) throws ExecutionException, InterruptedException {
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {

      sheaf.sync().set("example:greeting", "Hello");
      System.out.println("sync: " + sheaf.sync().get("example:greeting"));

      CompletableFuture<String> answer =
          sheaf.async().get("example:greeting").toCompletableFuture();
      System.out.println("async: " + answer.get());

      String published =
          sheaf.reactive().get("example:greeting").map(text -> text + ", world").block();
      System.out.println("reactive: " + published);

      // A server error is Lettuce's exception.
      try {
        sheaf.sync().incr("example:greeting");
      } catch (RedisCommandExecutionException e) {
        System.out.println("refused: " + e.getMessage());
      }

      sheaf.sync().del("example:greeting");
    }
  }
}
