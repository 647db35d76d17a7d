// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.junit.EmbeddedRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits is told when there is nothing left to wait for. */
@Timeout(180)
@EmbeddedRedis(manualClock = true)
class WaitsTest {
  private static final String GONE = "-UNBLOCKED the stream key no longer exists\r\n";

  private static void send(RawConnection raw, String... words) throws IOException {
    raw.send(RawConnection.request(RawConnection.args(words)));
  }

  /** Waits for the group g of the stream s; returns once the server knows it. */
  private static void awaitEntries(RawConnection waiting, RawConnection other) throws IOException {
    other.call("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM");
    send(waiting, "XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "s", ">");
    while (!other.call("INFO", "clients").contains("blocked_clients:1\r\n")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void xreadgroup_streamIsDeleted_ends(EmbeddedServer server) throws Exception {
    try (RawConnection waiting = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      awaitEntries(waiting, other);
      assertThat(other.call("DEL", "s")).isEqualTo(":1\r\n");
      assertThat(waiting.read()).isEqualTo(GONE);
    }
  }

  @Test
  void xreadgroup_keyBecomesAnotherType_ends(EmbeddedServer server) throws Exception {
    try (RawConnection waiting = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      awaitEntries(waiting, other);
      assertThat(other.call("SET", "s", "v")).isEqualTo("+OK\r\n");
      assertThat(waiting.read()).isEqualTo(GONE);
    }
  }

  @Test
  void xreadgroup_streamExpires_ends(EmbeddedServer server, EmbeddedClock clock) throws Exception {
    try (RawConnection waiting = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      awaitEntries(waiting, other);
      assertThat(other.call("PEXPIRE", "s", "100")).isEqualTo(":1\r\n");
      clock.advance(Duration.ofMillis(101));
      assertThat(other.call("EXISTS", "s")).isEqualTo(":0\r\n");
      assertThat(waiting.read()).isEqualTo(GONE);
    }
  }

  @Test
  void blmove_targetOfAnotherType_endsOnceThereIsSomethingToMove(EmbeddedServer server)
      throws Exception {
    try (RawConnection waiting = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      server.data().set("target", "v");
      send(waiting, "BRPOPLPUSH", "source", "target", "0");
      while (!other.call("INFO", "clients").contains("blocked_clients:1\r\n")) {
        Thread.onSpinWait();
      }
      assertThat(other.call("RPUSH", "source", "a")).isEqualTo(":1\r\n");
      assertThat(waiting.read()).startsWith("-WRONGTYPE ");
      assertThat(other.call("LLEN", "source")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void waitsThatEnd_areCountedAndInTheSlowLogAsOthers(EmbeddedServer server) throws Exception {
    try (RawConnection waiting = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      other.call("CONFIG", "RESETSTAT");
      other.call("SLOWLOG", "RESET");
      awaitEntries(waiting, other);
      other.call("XGROUP", "DESTROY", "s", "g");
      assertThat(waiting.read()).startsWith("-NOGROUP ");
      assertThat(other.call("INFO", "errorstats")).contains("errorstat_NOGROUP:count=1\r\n");
      assertThat(other.call("INFO", "commandstats"))
          .containsPattern("cmdstat_xreadgroup:calls=1,.*failed_calls=1\r\n");
      send(waiting, "BLPOP", "l", "0");
      while (!other.call("INFO", "clients").contains("blocked_clients:1\r\n")) {
        Thread.onSpinWait();
      }
      other.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
      other.call("LPUSH", "l", "v");
      waiting.read();
      assertThat(other.call("SLOWLOG", "GET", "-1")).contains("BLPOP");
    }
  }

  @Test
  void swapdb_ofKeysWhoseTimeIsOver_leavesWatchersAlone(EmbeddedServer server, EmbeddedClock clock)
      throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.call("DEBUG", "SET-ACTIVE-EXPIRE", "0")).isEqualTo("+OK\r\n");
      raw.call("SET", "x", "v", "PX", "1");
      clock.advance(Duration.ofMillis(100));
      raw.call("SELECT", "1");
      raw.call("WATCH", "x");
      raw.call("SWAPDB", "0", "1");
      raw.call("MULTI");
      raw.call("PING");
      assertThat(raw.call("EXEC")).isEqualTo("*1\r\n+PONG\r\n");
      raw.call("DEBUG", "SET-ACTIVE-EXPIRE", "1");
    }
  }

  @Test
  void functionRestore_ofWhatIsThere_addsNothing(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.call("FUNCTION", "LOAD", library("one", "f"));
      raw.call("FUNCTION", "LOAD", library("two", "g"));
      String dump = raw.call("FUNCTION", "DUMP");
      byte[] payload =
          RawConnection.latin(dump.substring(dump.indexOf('\n') + 1, dump.length() - 2));
      raw.call("FUNCTION", "DELETE", "one");
      raw.send(
          RawConnection.request(
              List.of(RawConnection.latin("FUNCTION"), RawConnection.latin("RESTORE"), payload)));
      assertThat(raw.read()).isEqualTo("-ERR Library two already exists\r\n");
      assertThat(raw.call("FCALL", "f", "0")).isEqualTo("-ERR Function not found\r\n");
      assertThat(raw.call("FUNCTION", "LOAD", library("three", "f"))).startsWith("$5");
    }
  }

  private static String library(String name, String function) {
    return "#!lua name="
        + name
        + "\nredis.register_function('"
        + function
        + "', function() return 1 end)";
  }

  @Test
  void debugDigest_isTheSameForTheSameData(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.call("SET", "a", "1");
      raw.call("RPUSH", "l", "1", "2");
      String digest = raw.call("DEBUG", "DIGEST");
      raw.call("DEL", "a");
      assertThat(raw.call("DEBUG", "DIGEST")).isNotEqualTo(digest);
      raw.call("SET", "a", "1");
      assertThat(raw.call("DEBUG", "DIGEST")).isEqualTo(digest).hasSize(43);
      assertThat(raw.call("DEBUG", "DIGEST-VALUE", "a", "none"))
          .isEqualTo(raw.call("DEBUG", "DIGEST-VALUE", "a", "other"));
      assertThat(raw.call("DEBUG", "OBJECT", "l"))
          .startsWith("+Value at:0x")
          .contains(" encoding:quicklist ", " ql_nodes:1 ");
      assertThat(raw.call("DEBUG", "OBJECT", "none")).isEqualTo("-ERR no such key\r\n");
    }
  }

  @Test
  void smoveOfAMemberThatIsThere_leavesTheTargetUntouched(EmbeddedServer server) throws Exception {
    try (RawConnection watching = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      other.call("SADD", "from", "m", "n");
      other.call("SADD", "to", "m");
      watching.call("WATCH", "to");
      assertThat(other.call("SMOVE", "from", "to", "m")).isEqualTo(":1\r\n");
      watching.call("MULTI");
      watching.call("PING");
      assertThat(watching.call("EXEC")).isEqualTo("*1\r\n+PONG\r\n");
    }
  }

  @Test
  void subscriptions_areToldThoughRepliesAreOff(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      send(raw, "CLIENT", "REPLY", "OFF");
      assertThat(raw.call("SUBSCRIBE", "c"))
          .isEqualTo("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    }
  }

  @Test
  void broadcast_tellsAllKeysOfACommandAtOnce_foreachPrefix(EmbeddedServer server)
      throws Exception {
    try (RawConnection all = new RawConnection(server.port());
        RawConnection some = new RawConnection(server.port());
        RawConnection other = new RawConnection(server.port())) {
      all.call("HELLO", "3");
      all.call("CLIENT", "TRACKING", "ON", "BCAST");
      some.call("HELLO", "3");
      some.call("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "a", "PREFIX", "b");
      other.call("MSET", "b1", "v", "a1", "v", "c1", "v", "a2", "v");
      assertThat(all.read()).isEqualTo(invalidated("a1", "a2", "b1", "c1"));
      assertThat(some.read()).isEqualTo(invalidated("a1", "a2"));
      assertThat(some.read()).isEqualTo(invalidated("b1"));
    }
  }

  private static String invalidated(String... keys) {
    StringBuilder text = new StringBuilder(">2\r\n$10\r\ninvalidate\r\n*" + keys.length + "\r\n");
    for (String key : keys) {
      text.append('$').append(key.length()).append("\r\n").append(key).append("\r\n");
    }
    return text.toString();
  }
}
