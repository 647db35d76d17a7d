// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.lettuce.InProcessResources;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Prints how long one GET of Lettuce takes over TCP, over a Unix socket, and on the server's event
 * loop. Run alone; not a test. The best of some rounds counts, taken in turn.
 */
final class RoundTrips {
  private static final int ROUNDS = 3;
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(2);

  private RoundTrips() {}

  public static void main(String[] args) throws Exception {
    Path socket = Files.createTempDirectory("sheaf").resolve("redis.sock");
    try (EmbeddedServer server = EmbeddedServer.builder().epoll().unixSocket(socket).start()) {
      ClientResources inProcess = InProcessResources.builder(server).build();
      Map<String, RedisClient> clients = new LinkedHashMap<>();
      clients.put("TCP", RedisClient.create(server.uri()));
      clients.put("Unix socket", RedisClient.create("redis-socket://" + socket));
      clients.put("one event loop", RedisClient.create(inProcess, server.uri()));
      Map<String, Double> best = new HashMap<>();
      for (int round = 0; round <= ROUNDS; round++) {
        for (var client : clients.entrySet()) {
          double micros = micros(client.getValue().connect());
          if (round > 0) {
            best.merge(client.getKey(), micros, Math::min);
          }
        }
      }
      double tcp = best.getOrDefault("TCP", Double.NaN);
      for (var client : clients.entrySet()) {
        double micros = best.getOrDefault(client.getKey(), Double.NaN);
        System.out.printf("%-22s %6.1f us %5.2fx%n", client.getKey(), micros, micros / tcp);
        client.getValue().shutdown(0, 1, TimeUnit.SECONDS);
      }
      inProcess.shutdown(0, 1, TimeUnit.SECONDS).get();
    }
  }

  private static double micros(StatefulRedisConnection<String, String> connection) {
    RedisCommands<String, String> redis = connection.sync();
    redis.set("k", "x".repeat(64));
    long from = System.nanoTime();
    long count = 0;
    while (System.nanoTime() - from < ROUND_NANOS) {
      for (int i = 0; i < 100; i++) {
        redis.get("k");
      }
      count += 100;
    }
    double micros = (System.nanoTime() - from) / 1000.0 / count;
    connection.close();
    return micros;
  }
}
