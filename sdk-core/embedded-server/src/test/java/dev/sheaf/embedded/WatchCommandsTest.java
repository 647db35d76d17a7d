// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class WatchCommandsTest {
  private EmbeddedServer server;
  private RawConnection raw;

  @BeforeEach
  void start() throws IOException {
    server = EmbeddedServer.builder().seed(1).start();
    raw = new RawConnection(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    raw.close();
    server.close();
  }

  /** Without the time and the address. */
  private static String words(RawConnection monitor) {
    try {
      return monitor.read().replaceAll("^\\+[0-9]+\\.[0-9]{6} \\[0 127[^]]+] ", "").trim();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void monitor_showsCommandsOfOthers_scriptsAndTransactionsIncluded_butNoPassword()
      throws Exception {
    try (RawConnection monitor = new RawConnection(server.port())) {
      assertThat(monitor.call("MONITOR")).isEqualTo("+OK\r\n");
      raw.call("SET", "k\u0000\n\"", "v");
      raw.call("EVAL", "return redis.call('GET','a')", "0");
      raw.call("MULTI");
      raw.call("GET", "b");
      raw.call("EXEC");
      raw.call("CONFIG", "GET", "port");
      raw.call("AUTH", "default", "secret");
      raw.call("MIGRATE", "127.0.0.1", "1", "k", "0", "10", "AUTH", "secret");
      assertThat(words(monitor)).isEqualTo("\"SET\" \"k\\x00\\n\\\"\" \"v\"");
      assertThat(words(monitor)).isEqualTo("\"EVAL\" \"return redis.call('GET','a')\" \"0\"");
      assertThat(words(monitor)).endsWith("[0 lua] \"GET\" \"a\"");
      assertThat(words(monitor)).isEqualTo("\"MULTI\"");
      assertThat(words(monitor)).isEqualTo("\"GET\" \"b\"");
      assertThat(words(monitor)).isEqualTo("\"EXEC\"");
      assertThat(words(monitor)).isEqualTo("\"AUTH\" \"(redacted)\" \"(redacted)\"");
      assertThat(words(monitor)).endsWith("\"10\" \"AUTH\" \"(redacted)\"");
      monitor.send(RawConnection.request(RawConnection.args("GET", "k")));
      assertThat(monitor.read()).isEqualTo("-ERR Replica can't interact with the keyspace\r\n");
      assertThat(monitor.call("RESET")).isEqualTo("+RESET\r\n");
      raw.call("PING");
      assertThat(monitor.call("GET", "k")).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void slowlog_keepsTheNewest_withArgumentsShortened() throws Exception {
    assertThat(raw.call("SLOWLOG", "GET")).isEqualTo("*0\r\n");
    raw.call("CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "3");
    raw.call("CLIENT", "SETNAME", "me");
    raw.call("SET", "k", "x".repeat(200));
    String[] many = new String[40];
    java.util.Arrays.fill(many, "a");
    many[0] = "DEL";
    raw.call(many);
    raw.call("AUTH", "default", "secret");
    assertThat(raw.call("SLOWLOG", "LEN")).isEqualTo(":3\r\n");
    raw.call("CONFIG", "SET", "slowlog-log-slower-than", "-1");
    raw.call("SLOWLOG", "RESET");
    raw.call("GET", "k");
    assertThat(raw.call("SLOWLOG", "LEN")).isEqualTo(":0\r\n");
    raw.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
    raw.call("SET", "k", "x".repeat(200));
    raw.call(many);
    String log = raw.call("SLOWLOG", "GET", "2");
    assertThat(log)
        .startsWith("*2\r\n*6\r\n")
        .contains("... (9 more arguments)", "x... (72 more bytes)", "$2\r\nme\r\n", "127.0.0.1:")
        .doesNotContain("secret");
    assertThat(raw.call("SLOWLOG", "GET", "-2"))
        .isEqualTo("-ERR count should be greater than or equal to -1\r\n");
  }

  @Test
  void latency_notesWhatTookLong() throws Exception {
    raw.call("DEBUG", "SLEEP", "0.01");
    assertThat(raw.call("LATENCY", "LATEST")).isEqualTo("*0\r\n");
    raw.call("CONFIG", "SET", "latency-monitor-threshold", "5");
    raw.call("DEBUG", "SLEEP", "0.02");
    assertThat(raw.call("LATENCY", "LATEST")).startsWith("*1\r\n*4\r\n$7\r\ncommand\r\n");
    assertThat(raw.call("LATENCY", "HISTORY", "command")).startsWith("*1\r\n*2\r\n:");
    assertThat(raw.call("LATENCY", "HISTORY", "fork")).isEqualTo("*0\r\n");
    assertThat(raw.call("LATENCY", "RESET", "fork", "command")).isEqualTo(":1\r\n");
    assertThat(raw.call("LATENCY", "LATEST")).isEqualTo("*0\r\n");
  }
}
