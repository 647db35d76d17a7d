// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What CONFIG SET changes: the limit of the memory, encodings, and who may write. */
@Timeout(180)
class SettingsTest {
  private static final String OOM = "OOM command not allowed when used memory > 'maxmemory'.\r\n";

  private final EmbeddedClock clock = EmbeddedClock.manual(Instant.EPOCH.plusSeconds(1000));
  private EmbeddedServer server;
  private RawConnection raw;

  @BeforeEach
  void start() throws IOException {
    server = EmbeddedServer.builder().seed(1).replicas(1).clock(clock).start();
    raw = new RawConnection(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    raw.close();
    server.close();
  }

  private void set(String name, String value) throws IOException {
    assertThat(raw.call("CONFIG", "SET", name, value)).isEqualTo("+OK\r\n");
  }

  /** Leaves room for what is there, but for the given bytes. */
  private void limitBelowUse(long bytes) throws IOException {
    set("maxmemory", "1gb");
    String used = raw.call("INFO", "memory").replaceAll("(?s).*used_memory:(\\d+).*", "$1");
    set("maxmemory", Long.toString(Long.parseLong(used) - bytes));
  }

  @Test
  void withoutEviction_aFullServerRefusesWhatAddsData_alsoInScriptsAndTransactions()
      throws Exception {
    raw.call("SET", "k", "v");
    set("maxmemory", "1");
    assertThat(raw.call("SET", "k", "w")).isEqualTo("-" + OOM);
    assertThat(raw.call("GET", "k")).isEqualTo("$1\r\nv\r\n");
    assertThat(raw.call("EVAL", "return redis.call('SET', 'k', 'w')", "0")).startsWith("-OOM");
    assertThat(raw.call("EVAL", "#!lua\nreturn 1", "0")).startsWith("-OOM allow-oom flag");
    assertThat(raw.call("EVAL", "#!lua flags=allow-oom\nreturn redis.call('SET','k','w')", "0"))
        .isEqualTo("+OK\r\n");
    set("maxmemory", "0");
    raw.call("MULTI");
    raw.call("SET", "k", "x");
    try (RawConnection other = new RawConnection(server.port())) {
      other.call("CONFIG", "SET", "maxmemory", "1");
    }
    assertThat(raw.call("EXEC")).isEqualTo("-EXECABORT Transaction discarded because of: " + OOM);
    assertThat(raw.call("DEL", "k")).isEqualTo(":1\r\n");
    set("maxmemory", "0");
    assertThat(raw.call("SET", "k", "w")).isEqualTo("+OK\r\n");
  }

  @Test
  void lru_theLongestUnusedKeyGoes_andItsEventCounterAndReplicaTell() throws Exception {
    raw.call("SET", "a", "1");
    raw.call("SET", "b", "1");
    clock.advance(Duration.ofSeconds(10));
    raw.call("GET", "a");
    set("maxmemory-policy", "allkeys-lru");
    set("maxmemory-samples", "20");
    set("notify-keyspace-events", "Ee");
    try (RawConnection listener = new RawConnection(server.port())) {
      listener.call("PSUBSCRIBE", "*");
      limitBelowUse(1);
      assertThat(listener.read()).contains("__keyevent@0__:evicted").endsWith("$1\r\nb\r\n");
    }
    assertThat(raw.call("EXISTS", "a", "b")).isEqualTo(":1\r\n");
    assertThat(raw.call("INFO", "stats")).contains("evicted_keys:1\r\n");
    try (RawConnection replica = new RawConnection(server.nodes().get(1).port())) {
      assertThat(replica.call("DBSIZE")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void volatileTtl_theKeyThatWouldGoFirstGoes_andKeysWithoutATimeToLiveStay() throws Exception {
    raw.call("SET", "stays", "1");
    raw.call("SET", "late", "1", "EX", "1000");
    raw.call("SET", "soon", "1", "EX", "10");
    set("maxmemory-policy", "volatile-ttl");
    set("maxmemory-samples", "20");
    limitBelowUse(1);
    assertThat(raw.call("EXISTS", "soon")).isEqualTo(":0\r\n");
    assertThat(raw.call("EXISTS", "late", "stays")).isEqualTo(":2\r\n");
    set("maxmemory", "1");
    assertThat(raw.call("SET", "k", "v")).isEqualTo("-" + OOM);
    assertThat(raw.call("KEYS", "*")).isEqualTo("*1\r\n$5\r\nstays\r\n");
  }

  @Test
  void collectionsThatGrow_countAgainstTheLimit_andFreeItWhenTheyGo() throws Exception {
    raw.call("RPUSH", "list", "a");
    limitBelowUse(-5_000);
    String answer = "";
    for (int i = 0; i < 100 && !answer.startsWith("-OOM"); i++) {
      answer = raw.call("RPUSH", "list", "x".repeat(100));
    }
    assertThat(answer).isEqualTo("-" + OOM);
    raw.call("FLUSHALL");
    assertThat(raw.call("RPUSH", "list", "a")).isEqualTo(":1\r\n");
  }

  @Test
  void tooFewReplicas_refuseWrites_alsoOfTransactionsAndScripts() throws Exception {
    raw.call("MULTI");
    raw.call("SET", "k", "v");
    try (RawConnection other = new RawConnection(server.port())) {
      other.call("CONFIG", "SET", "min-replicas-to-write", "2");
    }
    assertThat(raw.call("EXEC")).startsWith("-EXECABORT").contains("NOREPLICAS");
    assertThat(raw.call("SET", "k", "v"))
        .isEqualTo("-NOREPLICAS Not enough good replicas to write.\r\n");
    assertThat(raw.call("EVAL", "return redis.call('SET', 'k', 'v')", "0"))
        .startsWith("-NOREPLICAS");
    assertThat(raw.call("EVAL", "#!lua\nreturn 1", "0")).startsWith("-NOREPLICAS");
    assertThat(raw.call("EVAL", "return redis.call('GET', 'k')", "0")).isEqualTo("$-1\r\n");
    set("min-replicas-to-write", "1");
    assertThat(raw.call("SET", "k", "v")).isEqualTo("+OK\r\n");
  }

  @Test
  void encodings_followTheLimitsOfCompactCollections() throws Exception {
    set("zset-max-listpack-entries", "1");
    set("hash-max-ziplist-value", "3");
    raw.call("ZADD", "z", "1", "a");
    raw.call("HSET", "h", "f", "abc");
    assertThat(raw.call("OBJECT", "ENCODING", "z")).contains("listpack");
    assertThat(raw.call("OBJECT", "ENCODING", "h")).contains("listpack");
    raw.call("ZADD", "z", "2", "b");
    raw.call("HSET", "h", "f", "abcd");
    raw.call("ZREM", "z", "b");
    assertThat(raw.call("OBJECT", "ENCODING", "z")).contains("skiplist");
    assertThat(raw.call("OBJECT", "ENCODING", "h")).contains("hashtable");
  }

  @Test
  void nodesOfStreams_areAsLargeAsTheSettingSays() throws Exception {
    set("stream-node-max-entries", "10");
    for (int i = 1; i <= 100; i++) {
      raw.call("XADD", "s", i + "-0", "f", "v");
    }
    assertThat(raw.call("XTRIM", "s", "MAXLEN", "~", "55", "LIMIT", "30")).isEqualTo(":30\r\n");
  }

  @Test
  void newKeys_areToldOnce_ifTheirEventsAreWanted() throws Exception {
    set("notify-keyspace-events", "En");
    try (RawConnection listener = new RawConnection(server.port())) {
      listener.call("PSUBSCRIBE", "*");
      raw.call("SET", "k", "1");
      raw.call("SET", "k", "2");
      raw.call("RPUSH", "l", "a");
      assertThat(listener.read()).contains("__keyevent@0__:new").endsWith("$1\r\nk\r\n");
      assertThat(listener.read()).contains("__keyevent@0__:new").endsWith("$1\r\nl\r\n");
    }
  }

  @Test
  void oneWrongSetting_leavesAllAsTheyWere() throws Exception {
    assertThat(raw.call("CONFIG", "SET", "maxmemory", "10mb", "maxmemory-clients", "200%"))
        .isEqualTo(
            "-ERR CONFIG SET failed (possibly related to argument 'maxmemory-clients') -"
                + " percentage argument must be less or equal to 100\r\n");
    assertThat(raw.call("CONFIG", "SET", "requirepass", "x", "notify-keyspace-events", "?"))
        .contains("Invalid event class character");
    assertThat(raw.call("CONFIG", "GET", "maxmemory")).endsWith("$1\r\n0\r\n");
    assertThat(raw.call("CONFIG", "GET", "requirepass")).endsWith("$0\r\n\r\n");
  }
}
