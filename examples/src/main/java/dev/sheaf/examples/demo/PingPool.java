package dev.sheaf.examples.demo;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Sends each PING on a connection that nobody else uses meanwhile, as a pool of connections does;
 * who finds none free waits in line. Its connections are open before the first question.
 */
final class PingPool implements AutoCloseable {

  /** As many as the usual pools keep by default. */
  static final int CONNECTIONS = 8;

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final RedisClient client;
  private final Deque<StatefulRedisConnection<String, String>> free = new ArrayDeque<>();
  private final Deque<CompletableFuture<String>> line = new ArrayDeque<>();

  PingPool(String uri) {
    client = RedisClient.create(uri);
    for (int i = 0; i < CONNECTIONS; i++) {
      free.add(client.connect());
    }
  }

  CompletableFuture<String> ping() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    StatefulRedisConnection<String, String> connection;
    synchronized (this) {
      connection = free.poll();
      if (connection == null) {
        line.add(answer);
        return answer;
      }
    }
    send(connection, answer);
    return answer;
  }

  private void send(
      StatefulRedisConnection<String, String> connection, CompletableFuture<String> answer) {
    connection
        .async()
        .ping()
        .whenComplete(
            (pong, failure) -> {
              giveBack(connection);
              if (failure == null) {
                answer.complete(pong);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  private void giveBack(StatefulRedisConnection<String, String> connection) {
    CompletableFuture<String> next;
    synchronized (this) {
      next = line.poll();
      if (next == null) {
        free.add(connection);
        return;
      }
    }
    send(connection, next);
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, CLOSE_TIMEOUT);
  }
}
