// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The values and counts that a redis-server 7.0.15 has given for the same commands. */
class HyperLogLogTest {
  private static EmbeddedServer server;
  private static RawConnection raw;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedServer.start();
    raw = new RawConnection(server.port());
  }

  @AfterAll
  static void stop() throws Exception {
    raw.close();
    server.close();
  }

  @BeforeEach
  void empty() throws Exception {
    raw.call("FLUSHALL");
  }

  private static void add(String key, int from, int to) throws Exception {
    raw.call(
        "EVAL", "for i=" + from + "," + to + " do redis.call('PFADD',KEYS[1],i) end", "1", key);
  }

  private static String digest(String key) throws Exception {
    return raw.call("EVAL", "return redis.sha1hex(redis.call('GET',KEYS[1]))", "1", key);
  }

  @Test
  void sparseValue_isThatOfRedisByteForByte() throws Exception {
    assertThat(raw.call("PFADD", "k", "a", "b", "c")).isEqualTo(":1\r\n");
    assertThat(raw.call("PFADD", "k", "a", "b", "c")).isEqualTo(":0\r\n");
    assertThat(raw.call("PFCOUNT", "k")).isEqualTo(":3\r\n");
    byte[] expected = {
      'H',
      'Y',
      'L',
      'L',
      1,
      0,
      0,
      0,
      3,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0x60,
      (byte) 0xf3,
      (byte) 0x80,
      0x50,
      (byte) 0xb1,
      (byte) 0x84,
      0x4b,
      (byte) 0xfb,
      (byte) 0x80,
      0x42,
      0x5a
    };
    assertThat(raw.call("GET", "k"))
        .isEqualTo("$27\r\n" + new String(expected, StandardCharsets.ISO_8859_1) + "\r\n");
  }

  @Test
  void sparseAndDenseValues_areThoseOfRedis() throws Exception {
    add("s", 1, 300);
    assertThat(raw.call("PFCOUNT", "s")).isEqualTo(":302\r\n");
    assertThat(digest("s")).contains("a3f46066c44771dfd7d56b78402458be31113c3d");
    int[] counts = {2006, 4004, 5985, 7974, 9988, 12029};
    for (int i = 0; i < counts.length; i++) {
      add("d", 2000 * i + 1, 2000 * (i + 1));
      assertThat(raw.call("PFCOUNT", "d")).isEqualTo(":" + counts[i] + "\r\n");
    }
    assertThat(raw.call("PFDEBUG", "ENCODING", "d")).isEqualTo("+dense\r\n");
    assertThat(digest("d")).contains("509de45b7429da4638fe04d2a2222cd1c3c5f982");
    raw.call("PFADD", "k", "a", "b", "c");
    assertThat(raw.call("PFCOUNT", "s", "d", "k")).isEqualTo(":12033\r\n");
    assertThat(raw.call("PFMERGE", "s", "d", "k")).isEqualTo("+OK\r\n");
    assertThat(raw.call("PFCOUNT", "s")).isEqualTo(":12033\r\n");
  }

  @Test
  void corruptRegisters_areRefused() throws Exception {
    add("s", 1, 300);
    raw.call("SETRANGE", "s", "20", "zzz");
    assertThat(raw.call("PFCOUNT", "s", "none")).startsWith("-INVALIDOBJ Corrupted HLL");
    assertThat(raw.call("PFMERGE", "x", "s")).startsWith("-INVALIDOBJ Corrupted HLL");
    assertThat(raw.call("EXISTS", "x")).isEqualTo(":0\r\n");
    raw.call("SET", "short", "HYLL");
    assertThat(raw.call("PFADD", "short", "a"))
        .isEqualTo("-WRONGTYPE Key is not a valid HyperLogLog string value.\r\n");
  }

  /** A run of two bytes of which the second is missing, and a value shorter than its header. */
  @Test
  void everyTruncation_isAnErrorOrACount_neverAFailure() throws Exception {
    add("s", 1, 200);
    int length = Integer.parseInt(raw.call("STRLEN", "s").substring(1).trim());
    for (int end = 0; end < length; end++) {
      raw.call(
          "EVAL",
          "redis.call('SET',KEYS[2],string.sub(redis.call('GET',KEYS[1]),1,ARGV[1]))",
          "2",
          "s",
          "cut",
          "" + end);
      for (String command : new String[] {"PFADD", "PFCOUNT", "PFMERGE"}) {
        assertThat(raw.call(command, "cut", "s")).doesNotContain("internal error");
      }
    }
  }

  @Test
  void count_isKeptInTheValueOnReplicasToo() throws Exception {
    try (EmbeddedServer replicated = EmbeddedServer.builder().replicas(1).start();
        RawConnection master = new RawConnection(replicated.port());
        RawConnection replica = new RawConnection(replicated.nodes().get(1).port())) {
      master.call("PFADD", "k", "a", "b");
      assertThat(master.call("PFCOUNT", "k")).isEqualTo(":2\r\n");
      assertThat(replica.call("GET", "k")).isEqualTo(master.call("GET", "k"));
    }
  }
}
