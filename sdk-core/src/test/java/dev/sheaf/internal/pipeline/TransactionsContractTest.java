// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;

/** A transaction is all or nothing, whatever happens to its connection and to its commands. */
@Timeout(180)
class TransactionsContractTest {

  private static final String NAME = "of-transactions";
  private static final int ALL = 1_000;
  private static final int TRANSFERS = 300;

  /** A transfer in the order of its calls. */
  private static final List<Function<RedisAsyncCommands<String, String>, RedisFuture<?>>> STEPS =
      List.of(
          redis -> redis.watch("from"),
          redis -> redis.get("from"),
          redis -> redis.multi(),
          redis -> redis.decr("from"),
          redis -> redis.get("name"),
          redis -> redis.incr("to"),
          redis -> redis.exec());

  private static final int WATCH = 0;
  private static final int MULTI = 2;
  private static final int EXEC = STEPS.size() - 1;

  /** What a caller knows about its transaction. */
  private enum Outcome {
    DONE,
    NOT_DONE,
    UNKNOWN
  }

  private static Sheaf<String, String> connect(ServerUnderTest server) {
    return Sheaf.connect(server.uri() + "?clientName=" + NAME);
  }

  private static void begin(ServerUnderTest server) {
    server.command("MSET", "from", "" + ALL, "to", "0", "name", "value");
  }

  private static long stored(ServerUnderTest server, String key) {
    return Long.parseLong(String.valueOf(server.command("GET", key)));
  }

  private static void kill(ServerUnderTest server) {
    server.command("CLIENT", "KILL", "TYPE", "normal");
  }

  private static void awaitConnection(ServerUnderTest server) {
    Await.until(
        "the next connection",
        Duration.ofSeconds(60),
        () -> String.valueOf(server.command("CLIENT", "LIST")).contains("name=" + NAME));
  }

  /** Lettuce marks the commands of a transaction until it has seen that MULTI failed. */
  private static void awaitNoMulti(StatefulRedisConnection<String, String> connection) {
    Await.until("Lettuce to see it", Duration.ofSeconds(60), () -> !connection.isMulti());
  }

  /** Whether the server has it; the replies to MULTI and to what follows may be lost. */
  private static void settle(Future<?> future) throws Exception {
    try {
      future.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException lost) {
      assertThat(lost).hasCauseInstanceOf(ConnectionLostException.class);
    }
  }

  private static Outcome outcome(Future<?> exec) throws Exception {
    try {
      TransactionResult result = (TransactionResult) exec.get(60, TimeUnit.SECONDS);
      if (result.wasDiscarded()) {
        return Outcome.NOT_DONE;
      }
      assertThat(result.size()).isEqualTo(EXEC - MULTI - 1);
      assertThat(result.<Object>get(1)).isEqualTo("value");
      return Outcome.DONE;
    } catch (ExecutionException e) {
      // A MULTI that fails late takes the marks of the next transaction, which is then discarded.
      assertThat(e).hasCauseInstanceOf(SheafException.class);
      return e.getCause() instanceof OutcomeUnknownException ? Outcome.UNKNOWN : Outcome.NOT_DONE;
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void transactionWhoseConnectionIsLostBetweenItsCommands_isAllOrNothing(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      for (int at = 0; at <= EXEC; at++) {
        begin(server);
        List<RedisFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i <= EXEC; i++) {
          futures.add(STEPS.get(i).apply(sheaf.standalone().async()));
          if (i <= MULTI || i == EXEC) {
            settle(futures.get(i).toCompletableFuture());
          }
          if (i == at) {
            kill(server);
            awaitConnection(server);
          }
        }
        Outcome outcome = outcome(futures.get(EXEC).toCompletableFuture());
        // WATCH and MULTI belong to the socket.
        assertThat(outcome)
            .as("killed after %s", at)
            .isEqualTo(at < EXEC ? Outcome.NOT_DONE : Outcome.DONE);
        assertThat(stored(server, "to")).isEqualTo(at < EXEC ? 0 : 1);
        assertThat(stored(server, "from")).isEqualTo(at < EXEC ? ALL : ALL - 1);
        for (int i = MULTI + 1; at >= MULTI && at < EXEC && i < EXEC; i++) {
          Future<?> member = futures.get(i).toCompletableFuture();
          assertThatThrownBy(() -> member.get(60, TimeUnit.SECONDS))
              .hasCauseInstanceOf(ConnectionLostException.class)
              .hasMessageContaining("nothing of the transaction was executed");
        }
        assertThat(sheaf.sync().get("name")).isEqualTo("value");
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void watchThatIsLostWithItsConnection_stillProtects(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      for (int at = WATCH; at < MULTI; at++) {
        begin(server);
        RedisFuture<?> last = null;
        for (int i = 0; i <= EXEC; i++) {
          last = STEPS.get(i).apply(sheaf.standalone().async());
          if (i <= MULTI) {
            last.get(60, TimeUnit.SECONDS);
          }
          if (i == at) {
            kill(server);
            awaitConnection(server);
            server.command("SET", "from", "7");
          }
        }
        Future<?> exec = last.toCompletableFuture();
        assertThatThrownBy(() -> exec.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(ConnectionLostException.class)
            .hasMessageContaining("since WATCH");
        assertThat(stored(server, "from")).isEqualTo(7);
        assertThat(stored(server, "to")).isZero();
        // The next one is not affected.
        var redis = sheaf.standalone().sync();
        redis.watch("from");
        redis.multi();
        redis.incr("to");
        assertThat(redis.exec().stream().toList()).containsExactly(1L);
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void transactionsWhileConnectionsAreLost_loseAndDoubleNothing(ServerUnderTest server)
      throws Exception {
    begin(server);
    int done = 0;
    int unknown = 0;
    AtomicBoolean over = new AtomicBoolean();
    try (Sheaf<String, String> sheaf = connect(server)) {
      Thread killer =
          new Thread(
              () -> {
                while (!over.get()) {
                  kill(server);
                  awaitConnection(server);
                }
              });
      killer.start();
      try {
        for (int i = 0; i < TRANSFERS; i++) {
          List<Future<?>> futures = new ArrayList<>();
          for (var step : STEPS) {
            futures.add(step.apply(sheaf.standalone().async()).toCompletableFuture());
          }
          switch (outcome(futures.get(EXEC))) {
            case DONE -> done++;
            case UNKNOWN -> unknown++;
            case NOT_DONE -> {}
          }
        }
      } finally {
        over.set(true);
        killer.join();
      }
      assertThat(stored(server, "to")).isBetween((long) done, (long) done + unknown);
      assertThat(stored(server, "from")).isEqualTo(ALL - stored(server, "to"));
      assertThat(sheaf.sync().get("name")).isEqualTo("value");
    }
  }

  /** A blocking caller learns only from EXEC that one of its commands was refused. */
  @ForEachServer(on = Topology.STANDALONE)
  void transactionWithARefusedCommand_isDiscarded(ServerUnderTest server) {
    begin(server);
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).compression(CompressionOptions.builder().build()).connect()) {
      var redis = sheaf.standalone().sync();
      redis.multi();
      redis.decr("from");
      redis.append("name", "refused");
      redis.get("name");
      redis.incr("to");
      assertThatThrownBy(redis::exec)
          .isInstanceOf(SheafException.class)
          .hasMessageContaining("1 of the 4 commands of the transaction failed before")
          .hasCauseInstanceOf(CompressionRefusedException.class);
      assertThat(stored(server, "from")).isEqualTo(ALL);
      assertThat(stored(server, "to")).isZero();
      redis.multi();
      redis.get("name");
      redis.incr("to");
      assertThat(redis.exec().stream().toList()).containsExactly("value", 1L);
    }
  }

  /** Lettuce marks no commands of a transaction once its MULTI has failed. */
  @ForEachServer(on = Topology.STANDALONE)
  void multiThatFailsUnnoticed_takesTheRestWithIt(ServerUnderTest server) throws Exception {
    begin(server);
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(server.nodes().get(0).host(), server.nodes().get(0).port())
                .start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      var redis = sheaf.standalone().async();
      proxy.pauseToServer(true);
      RedisFuture<String> multi = redis.multi();
      RedisFuture<Long> before = redis.decr("from");
      Await.until(
          "the request to be on its way",
          Duration.ofSeconds(60),
          () -> proxy.stats().bytesInFlight() > 0);
      proxy.resetConnections();
      proxy.pauseToServer(false);
      awaitNoMulti(sheaf.standalone());
      RedisFuture<Long> after = redis.incr("to");
      RedisFuture<TransactionResult> exec = redis.exec();
      for (RedisFuture<?> each : List.of(multi, before, after, exec)) {
        assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(SheafException.class);
      }
      assertThat(stored(server, "to")).isZero();
      assertThat(redis.incr("to").get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void whatTheServerRefuses_isAsWithLettuce(ServerUnderTest server) {
    begin(server);
    try (Sheaf<String, String> sheaf = connect(server)) {
      var redis = sheaf.standalone().sync();
      redis.multi();
      assertThat(redis.exec()).isEmpty();
      assertThatThrownBy(redis::exec).hasMessageContaining("EXEC without MULTI");
      assertThatThrownBy(redis::discard).hasMessageContaining("DISCARD without MULTI");

      redis.multi();
      redis.set("name", "other");
      redis.lpop("name");
      redis.get("name");
      TransactionResult result = redis.exec();
      assertThat(result.<Object>get(0)).isEqualTo("OK");
      assertThat(result.<Object>get(1)).isInstanceOf(RedisCommandExecutionException.class);
      assertThat(result.<Object>get(2)).isEqualTo("other");

      redis.multi();
      redis.incr("to");
      assertThatThrownBy(redis::multi).isInstanceOf(RedisCommandExecutionException.class);
      awaitNoMulti(sheaf.standalone());
      assertThatThrownBy(() -> redis.get("name")).hasMessageContaining("between MULTI and EXEC");
      assertThatThrownBy(redis::exec).hasMessageContaining("nothing of the transaction");
      assertThat(redis.get("to")).isEqualTo("0");

      redis.watch("name");
      server.command("SET", "name", "value");
      redis.multi();
      redis.incr("to");
      assertThat(redis.exec().wasDiscarded()).isTrue();
      redis.multi();
      redis.incr("to");
      assertThat(redis.discard()).isEqualTo("OK");
      assertThat(redis.get("to")).isEqualTo("0");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void reactiveTransaction_isAllOrNothing(ServerUnderTest server) throws Exception {
    begin(server);
    try (Sheaf<String, String> sheaf = connect(server)) {
      var redis = sheaf.standalone().reactive();
      redis.watch("from").block();
      assertThat(redis.multi().block()).isEqualTo("OK");
      Future<Long> from = redis.decr("from").toFuture();
      Future<String> name = redis.get("name").toFuture();
      assertThat(redis.exec().block().stream().toList()).containsExactly(ALL - 1L, "value");
      assertThat(from.get(60, TimeUnit.SECONDS)).isEqualTo(ALL - 1L);
      assertThat(name.get(60, TimeUnit.SECONDS)).isEqualTo("value");

      redis.multi().block();
      redis.incr("to").subscribe();
      assertThatThrownBy(() -> redis.multi().block())
          .isInstanceOf(RedisCommandExecutionException.class);
      assertThat(redis.discard().block()).isEqualTo("OK");
      assertThat(stored(server, "to")).isZero();

      redis.multi().block();
      Future<Long> lost = redis.decr("from").toFuture();
      kill(server);
      awaitConnection(server);
      redis.incr("to").toFuture();
      assertThatThrownBy(() -> redis.exec().block()).isInstanceOf(ConnectionLostException.class);
      assertThatThrownBy(() -> lost.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(ConnectionLostException.class);
      assertThat(stored(server, "from")).isEqualTo(ALL - 1);
      assertThat(stored(server, "to")).isZero();
      assertThat(redis.get("name").block()).isEqualTo("value");
    }
  }

  /** Its reply arrives later, when nobody waits for it any more. */
  @ForEachServer(on = Topology.STANDALONE)
  void reactiveMultiThatIsLate_doesNotKeepTheConnection(ServerUnderTest server) throws IOException {
    begin(server);
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(server.nodes().get(0).host(), server.nodes().get(0).port())
                .start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .commandTimeout(Duration.ofMillis(100))
                .connect()) {
      var redis = sheaf.standalone().reactive();
      proxy.pauseToClient(true);
      assertThatThrownBy(() -> redis.multi().block())
          .isInstanceOf(RedisCommandTimeoutException.class);
      proxy.pauseToClient(false);
      Await.until(
          "commands to be sent again",
          Duration.ofSeconds(60),
          () -> "value".equals(redis.get("name").onErrorReturn("refused").block()));
    }
  }

  /** The server has MULTI by then, and would queue the commands of everybody else. */
  @ForEachServer(on = Topology.STANDALONE)
  void transactionWhoseExecIsNeverSent_isDiscarded(ServerUnderTest server) throws Exception {
    begin(server);
    try (Sheaf<String, String> sheaf = connect(server)) {
      var redis = sheaf.standalone().async();
      try (Batch<String, String> batch = sheaf.batch()) {
        batch.add(
            commands -> {
              redis.multi();
              redis.incr("to");
              redis.exec().cancel(true);
              return redis.echo("sent");
            });
      }
      assertThat(sheaf.sync().get("name")).isEqualTo("value");
      assertThat(stored(server, "to")).isZero();
    }
  }
}
