// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class BatchContractTest {

  @ForEachServer
  void firstResultAskedFor_sendsAll(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      Deferred<String> set = batch.add(redis -> redis.set("k", "v"));
      Deferred<String> get = batch.get("k");
      Deferred<Long> count = batch.add(redis -> redis.incrby("n", 7));
      assertThat(set.isDone()).isFalse();
      assertThat(server.commandCalls()).doesNotContainKey("set");

      assertThat(get.get()).isEqualTo("v");
      assertThat(set.get()).isEqualTo("OK");
      assertThat(count.get()).isEqualTo(7);
    }
  }

  @ForEachServer
  void close_sendsWhatNobodyAskedFor(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      try (Batch<String, String> batch = sheaf.batch()) {
        batch.add(redis -> redis.set("k", "v"));
      }
      assertThat(sheaf.sync().get("k")).isEqualTo("v");
    }
  }

  @ForEachServer
  void manyMoreCommandsThanTheBounds_allRunOnce_inOrder(ServerUnderTest server) {
    int commands = 3 * Batch.MAX_UNANSWERED_COMMANDS;
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<Deferred<Long>> counts = new ArrayList<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < commands; i++) {
          counts.add(batch.add(redis -> redis.incr("n")));
        }
      }
      for (int i = 0; i < commands; i++) {
        assertThat(counts.get(i).get()).isEqualTo(i + 1);
      }
    }
  }

  @ForEachServer
  void failedCommand_harmsNoOther(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      Deferred<String> set = batch.add(redis -> redis.set("k", "text"));
      Deferred<Long> wrong = batch.add(redis -> redis.incr("k"));
      Deferred<Long> thrown =
          batch.add(
              redis -> {
                throw new IllegalStateException("in the lambda");
              });
      Deferred<String> get = batch.get("k");
      assertThat(get.get()).isEqualTo("text");
      assertThat(set.get()).isEqualTo("OK");
      assertThatThrownBy(wrong::get).hasMessageStartingWith("ERR value is not an integer");
      assertThatThrownBy(thrown::get).hasMessageContaining("in the lambda");
    }
  }

  @ForEachServer
  void close_reportsFailuresNobodyRead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Batch<String, String> batch = sheaf.batch();
      batch.add(redis -> redis.set("k", "text"));
      batch.add(redis -> redis.incr("k"));
      batch.add(redis -> redis.lpush("k", "x"));
      assertThatThrownBy(batch::close)
          .isInstanceOf(SheafException.class)
          .hasMessageStartingWith("2 commands of the batch failed")
          .hasMessageContaining("ERR value is not an integer");
    }
  }

  @ForEachServer
  void addAfterClose_isRefused(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Batch<String, String> batch = sheaf.batch();
      batch.close();
      batch.close();
      assertThatThrownBy(() -> batch.get("k"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      assertThatThrownBy(() -> sheaf.batch().get(null)).isInstanceOf(NullPointerException.class);
    }
  }

  @ForEachServer
  void stage_completesOnceSent(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      Deferred<String> pong = batch.add(redis -> redis.ping());
      CompletableFuture<String> stage = pong.toCompletionStage().toCompletableFuture();
      assertThat(stage).isNotDone();
      batch.execute();
      assertThat(stage.orTimeout(10, java.util.concurrent.TimeUnit.SECONDS).join())
          .isEqualTo("PONG");
    }
  }
}
