// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class BehaviourTest {
  private static boolean infoSays(RawConnection connection, String line) {
    try {
      return connection.call("INFO", "clients").contains(line);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void jedis_worksStandalone() {
    try (EmbeddedServer server = EmbeddedServer.start();
        redis.clients.jedis.RedisClient jedis =
            redis.clients.jedis.RedisClient.create("127.0.0.1", server.port())) {
      jedis.set("k", "v");
      assertThat(jedis.get("k")).isEqualTo("v");
      assertThat(jedis.zadd("z", 1.5, "m")).isEqualTo(1);
      assertThat(jedis.zscore("z", "m")).isEqualTo(1.5);
    }
  }

  @Test
  void password_isRequiredAndAccepted() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().password("pa ss@1").start();
        RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.call("GET", "a")).isEqualTo("-NOAUTH Authentication required.\r\n");
      assertThat(raw.call("HELLO", "3")).startsWith("-NOAUTH HELLO must be called");
      assertThat(raw.call("AUTH", "wrong")).startsWith("-WRONGPASS");
      assertThat(raw.call("HELLO", "3", "AUTH", "default", "pa ss@1")).startsWith("%7");
      try (RedisClient client = RedisClient.create(server.uri())) {
        assertThat(client.connect().sync().ping()).isEqualTo("PONG");
      }
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void unixSocket_servesLettuceThroughEpoll(@TempDir Path folder) {
    Path socket = folder.resolve("s.sock");
    try (EmbeddedServer server = EmbeddedServer.builder().unixSocket(socket).start();
        RedisClient client =
            RedisClient.create(RedisURI.Builder.socket(socket.toString()).build())) {
      var redis = client.connect().sync();
      redis.set("k", "v");
      assertThat(redis.get("k")).isEqualTo("v");
      assertThat(server.stats().count("get")).isEqualTo(1);
    }
    assertThat(socket).doesNotExist();
  }

  @Test
  void manualClock_movesExpiryAndBlockingTimeouts() throws Exception {
    EmbeddedClock clock = EmbeddedClock.manual(Instant.parse("2030-01-01T00:00:00Z"));
    try (EmbeddedServer server = EmbeddedServer.builder().clock(clock).start();
        RawConnection raw = new RawConnection(server.port());
        RawConnection blocked = new RawConnection(server.port())) {
      raw.call("SET", "k", "v", "PX", "1000");
      clock.advance(Duration.ofMillis(999));
      assertThat(raw.call("PTTL", "k")).isEqualTo(":1\r\n");
      clock.advance(Duration.ofMillis(1));
      assertThat(raw.call("DBSIZE")).isEqualTo(":0\r\n");
      assertThat(raw.call("INFO", "stats")).contains("expired_keys:1");
      blocked.send(RawConnection.request(RawConnection.args("BLPOP", "list", "60")));
      Await.until("blocked_clients:1", () -> infoSays(raw, "blocked_clients:1"));
      clock.advance(Duration.ofSeconds(61));
      assertThat(blocked.read()).isEqualTo("*-1\r\n");
    }
  }

  @Test
  void blockedClients_areServedInTurn_andGoOnAfterwards() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection first = new RawConnection(server.port());
        RawConnection second = new RawConnection(server.port());
        RawConnection raw = new RawConnection(server.port())) {
      first.send(RawConnection.request(RawConnection.args("BLPOP", "q", "0")));
      first.send(RawConnection.request(RawConnection.args("PING")));
      Await.until("blocked_clients:1", () -> infoSays(raw, "blocked_clients:1"));
      second.send(RawConnection.request(RawConnection.args("BLPOP", "q", "0")));
      Await.until("blocked_clients:2", () -> infoSays(raw, "blocked_clients:2"));
      assertThat(raw.call("RPUSH", "q", "a", "b")).isEqualTo(":2\r\n");
      assertThat(first.read()).isEqualTo("*2\r\n$1\r\nq\r\n$1\r\na\r\n");
      assertThat(first.read()).isEqualTo("+PONG\r\n");
      assertThat(second.read()).isEqualTo("*2\r\n$1\r\nq\r\n$1\r\nb\r\n");
      assertThat(raw.call("EXISTS", "q")).isEqualTo(":0\r\n");
    }
  }

  @Test
  void blockedClientThatLeaves_takesNothing() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      try (RawConnection gone = new RawConnection(server.port())) {
        gone.send(RawConnection.request(RawConnection.args("BLPOP", "q", "0")));
        Await.until("blocked_clients:1", () -> infoSays(raw, "blocked_clients:1"));
      }
      Await.until("blocked_clients:0", () -> infoSays(raw, "blocked_clients:0"));
      assertThat(raw.call("RPUSH", "q", "a")).isEqualTo(":1\r\n");
      assertThat(raw.call("LLEN", "q")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void watch_changedByAnotherClient_abortsExec() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection one = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      one.call("WATCH", "k");
      other.call("SET", "k", "changed");
      one.call("MULTI");
      one.call("SET", "k", "mine");
      assertThat(one.call("EXEC")).isEqualTo("*-1\r\n");
      assertThat(one.call("GET", "k")).isEqualTo("$7\r\nchanged\r\n");
    }
  }

  @Test
  void pubSub_reachesLettuceSubscribers() throws Exception {
    BlockingQueue<String> received = new ArrayBlockingQueue<>(10);
    try (EmbeddedServer server = EmbeddedServer.start();
        RedisClient client = RedisClient.create(server.uri())) {
      var subscriber = client.connectPubSub();
      subscriber.addListener(
          new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String channel, String message) {
              received.add(channel + "=" + message);
            }

            @Override
            public void message(String pattern, String channel, String message) {
              received.add(pattern + ":" + channel + "=" + message);
            }
          });
      subscriber.sync().subscribe("news");
      subscriber.sync().psubscribe("n*");
      assertThat(client.connect().sync().publish("news", "hello")).isEqualTo(2);
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("news=hello");
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("n*:news=hello");
    }
  }

  @Test
  void subscriberInResp2_mayOnlySubscribe() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.call("SUBSCRIBE", "c"))
          .isEqualTo("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
      assertThat(raw.call("GET", "k"))
          .isEqualTo(
              "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT /"
                  + " RESET are allowed in this context\r\n");
      assertThat(raw.call("PING")).isEqualTo("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
      assertThat(raw.call("RESET")).isEqualTo("+RESET\r\n");
      assertThat(raw.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void replyOffAndSkip_keepSilent() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      raw.send(RawConnection.request(RawConnection.args("CLIENT", "REPLY", "SKIP")));
      raw.send(RawConnection.request(RawConnection.args("SET", "a", "1")));
      assertThat(raw.call("GET", "a")).isEqualTo("$1\r\n1\r\n");
      raw.send(RawConnection.request(RawConnection.args("CLIENT", "REPLY", "OFF")));
      raw.send(RawConnection.request(RawConnection.args("SET", "a", "2")));
      assertThat(raw.call("CLIENT", "REPLY", "ON")).isEqualTo("+OK\r\n");
      assertThat(raw.call("GET", "a")).isEqualTo("$1\r\n2\r\n");
    }
  }

  @Test
  void longScript_othersGetBusy_killEndsIt() throws Exception {
    longScriptIsBusyUntilKilled(EmbeddedServer.builder());
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void longScript_onEpoll_othersGetBusy_killEndsIt() throws Exception {
    longScriptIsBusyUntilKilled(EmbeddedServer.builder().epoll());
  }

  private static void longScriptIsBusyUntilKilled(EmbeddedServerBuilder builder) throws Exception {
    try (EmbeddedServer server = builder.start();
        RawConnection runner = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      other.call("CONFIG", "SET", "busy-reply-threshold", "50");
      runner.send(RawConnection.request(RawConnection.args("EVAL", "while true do end", "0")));
      Await.until(
          "the script to be long",
          () -> call(other, "PING").startsWith("-BUSY Redis is busy running a script."));
      try (RawConnection late = new RawConnection(server.port())) {
        assertThat(late.call("GET", "a")).startsWith("-BUSY");
      }
      assertThat(other.call("SCRIPT", "KILL")).isEqualTo("+OK\r\n");
      assertThat(runner.read()).startsWith("-ERR Script killed by user with SCRIPT KILL...");
      assertThat(other.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void longFunction_isNamed_andEndedByFunctionKillOnly() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection runner = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      other.call("CONFIG", "SET", "busy-reply-threshold", "1");
      other.call(
          "FUNCTION",
          "LOAD",
          "#!lua name=l\nredis.register_function('f', function() while true do end end)");
      runner.send(RawConnection.request(RawConnection.args("FCALL", "f", "0", "word")));
      String busy =
          "-BUSY Redis is busy running a script."
              + " You can only call FUNCTION KILL or SHUTDOWN NOSAVE.\r\n";
      Await.until("the function to be busy", () -> call(other, "PING").equals(busy));
      assertThat(other.call("SCRIPT", "KILL")).isEqualTo(busy);
      assertThat(other.call("FUNCTION", "STATS"))
          .contains("$4\r\nname\r\n$1\r\nf\r\n")
          .contains("*4\r\n$5\r\nFCALL\r\n$1\r\nf\r\n$1\r\n0\r\n$4\r\nword\r\n");
      assertThat(other.call("FUNCTION", "KILL")).isEqualTo("+OK\r\n");
      assertThat(runner.read()).startsWith("-ERR Script killed by user");
    }
  }

  @Test
  void tableThatContainsItself_isAnsweredToTheLimitOfTheStack() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      raw.send(
          RawConnection.request(RawConnection.args("EVAL", "local t = {} t[1] = t return t", "0")));
      assertThat(raw.readNested()).endsWith("-ERR reached lua stack limit");
      assertThat(raw.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void longScriptThatWrote_cannotBeKilled_butCloseEndsIt() throws Exception {
    EmbeddedServer server = EmbeddedServer.start();
    try (RawConnection runner = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      other.call("CONFIG", "SET", "busy-reply-threshold", "50");
      runner.send(
          RawConnection.request(
              RawConnection.args("EVAL", "redis.call('SET','a','1') while true do end", "0")));
      Await.until("the script to be long", () -> call(other, "PING").startsWith("-BUSY"));
      assertThat(other.call("SCRIPT", "KILL")).startsWith("-UNKILLABLE");
      server.close();
      // The script ends with an error; before it ends, no client can be answered.
      assertThat(runner.read()).startsWith("-ERR");
      assertThat(runner.isClosedByServer()).isTrue();
    } finally {
      server.close();
    }
  }

  private static String call(RawConnection connection, String... words) {
    try {
      return connection.call(words);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void faults_failTheNextCommands_thenNoMore() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      server.faults().failNext("get", 2, "LOADING Redis is loading the dataset in memory");
      assertThat(raw.call("GET", "a")).startsWith("-LOADING");
      assertThat(raw.call("SET", "a", "1")).isEqualTo("+OK\r\n");
      assertThat(raw.call("GET", "a")).startsWith("-LOADING");
      assertThat(raw.call("GET", "a")).isEqualTo("$1\r\n1\r\n");
    }
  }

  @Test
  void stats_countReadBatchesAndCommands() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      raw.call("PING");
      server.resetStats();
      raw.send("PING\r\nPING\r\nPING\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      raw.read();
      raw.read();
      raw.read();
      NodeStats stats = server.stats();
      assertThat(stats.readBatches()).isEqualTo(1);
      assertThat(stats.count("ping")).isEqualTo(3);
      assertThat(stats.bytesIn()).isEqualTo(18);
      assertThat(stats.bytesOut()).isEqualTo(21);
    }
  }

  @Test
  void clientThatDoesNotRead_isNotServedWithoutBound() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection slow = new RawConnection(server.port());
        RawConnection raw = new RawConnection(server.port())) {
      raw.call("SET", "big", "x".repeat(1_000_000));
      server.resetStats();
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < 150; i++) {
                    slow.send(RawConnection.request(RawConnection.args("GET", "big")));
                  }
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      sending.get(60, TimeUnit.SECONDS);
      assertThat(raw.call("PING")).isEqualTo("+PONG\r\n");
      assertThat(server.stats().count("get")).isLessThan(50);
      for (int i = 0; i < 150; i++) {
        assertThat(slow.read()).hasSize(1_000_000 + 12);
      }
    }
  }

  @Test
  void twoScanners_seeEveryKeyPresentThroughout_whileTheTableGrowsAndShrinks() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        RawConnection raw = new RawConnection(server.port())) {
      for (int i = 0; i < 1000; i++) {
        raw.call("SET", "stay" + i, "v");
      }
      java.util.Set<String> seen = new java.util.HashSet<>();
      String cursor = "0";
      int round = 0;
      do {
        String[] parts = raw.call("SCAN", cursor, "COUNT", "20").split("\r\n");
        cursor = parts[2];
        for (int i = 5; i < parts.length; i += 2) {
          seen.add(parts[i]);
        }
        for (int i = 0; i < 200; i++) {
          raw.call(round % 40 < 20 ? "SET" : "DEL", "go" + (round % 20 * 200 + i), "v");
        }
        round++;
      } while (!cursor.equals("0"));
      assertThat(seen.stream().filter(key -> key.startsWith("stay"))).hasSize(1000);
    }
  }

  @Test
  void portInUse_isNamedInTheError() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      assertThatThrownBy(() -> EmbeddedServer.builder().port(server.port()).start())
          .hasMessageContaining("cannot listen on")
          .hasMessageContaining("" + server.port());
    }
  }
}
