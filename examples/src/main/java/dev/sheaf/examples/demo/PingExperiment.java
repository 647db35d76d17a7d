package dev.sheaf.examples.demo;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Very many tiny commands, where nothing but the round trips costs time. */
final class PingExperiment implements Experiment {

  private final int pings;

  PingExperiment(int pings) {
    this.pings = pings;
  }

  @Override
  public String name() {
    return "pings-" + pings;
  }

  @Override
  public String description() {
    return Figures.count(pings) + " PINGs, the smallest command there is";
  }

  @Override
  public List<?> expected() {
    return Collections.nCopies(pings, "PONG");
  }

  @Override
  public List<Way> ways(Clients clients) {
    return List.of(
        new Way("naive", "Lettuce, ping() in a loop", () -> loop(clients)).onlyOnce(),
        new Way("lettuce-async", "Lettuce, all futures, then their replies", () -> async(clients)),
        new Way("sheaf", "Sheaf, a batch of ping()", () -> batch(clients)));
  }

  private List<String> loop(Clients clients) {
    List<String> replies = new ArrayList<>();
    for (int i = 0; i < pings; i++) {
      replies.add(clients.lettuce().ping());
    }
    return replies;
  }

  private List<String> async(Clients clients) {
    List<RedisFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < pings; i++) {
      futures.add(clients.lettuceAsync().ping());
    }
    List<String> replies = new ArrayList<>();
    for (RedisFuture<String> future : futures) {
      replies.add(future.toCompletableFuture().join());
    }
    return replies;
  }

  private List<String> batch(Clients clients) {
    List<String> replies = new ArrayList<>();
    try (Batch<String, String> batch = clients.sheaf().batch()) {
      List<Deferred<String>> deferred = new ArrayList<>();
      for (int i = 0; i < pings; i++) {
        deferred.add(batch.add(RedisClusterAsyncCommands::ping));
      }
      for (Deferred<String> reply : deferred) {
        replies.add(reply.get());
      }
    }
    return replies;
  }
}
