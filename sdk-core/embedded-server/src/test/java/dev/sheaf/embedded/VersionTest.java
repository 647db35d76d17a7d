// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class VersionTest {
  private static final String NO_SUBCOMMAND = "-ERR unknown subcommand";

  @ParameterizedTest
  @CsvSource({
    "REDIS_7_0, redis, 7.0.15",
    "REDIS_7_4, redis, 7.4.2",
    "REDIS_8_0, redis, 8.0.2",
    "VALKEY_8_1, valkey, 8.1.1"
  })
  void helloAndInfo_nameTheServer(Version version, String name, String number) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().version(version).start();
        RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.call("HELLO", "2")).contains(name + "\r\n").contains(number + "\r\n");
      assertThat(raw.call("INFO", "server")).contains(name + "_version:" + number + "\r\n");
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachHasItsOwnCommands(Version version) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().version(version).start();
        RawConnection raw = new RawConnection(server.port())) {
      boolean fields = version == Version.REDIS_7_4 || version == Version.REDIS_8_0;
      raw.call("HSET", "h", "f", "1");
      assertThat(raw.call("HPERSIST", "h", "FIELDS", "1", "f"))
          .startsWith(fields ? "*1\r\n:-1" : "-ERR unknown command 'HPERSIST'");
      assertThat(raw.call("HGETDEL", "h", "FIELDS", "1", "f"))
          .startsWith(version == Version.REDIS_8_0 ? "*1\r\n$1" : "-ERR unknown command 'HGETDEL'");
      assertThat(raw.call("CLIENT", "SETINFO", "LIB-NAME", "x"))
          .startsWith(version == Version.REDIS_7_0 ? NO_SUBCOMMAND : "+OK");
      assertThat(raw.call("SCRIPT", "SHOW", "x"))
          .startsWith(version == Version.VALKEY_8_1 ? "-NOSCRIPT" : NO_SUBCOMMAND);
    }
  }

  @Test
  void errorTexts_areThoseOfTheServer() throws Exception {
    try (EmbeddedServer redis = EmbeddedServer.start();
        EmbeddedServer valkey = EmbeddedServer.builder().version(Version.VALKEY_8_1).start();
        RawConnection old = new RawConnection(redis.port());
        RawConnection other = new RawConnection(valkey.port())) {
      String digest = "f".repeat(40);
      assertThat(old.call("EVALSHA", digest, "0"))
          .isEqualTo("-NOSCRIPT No matching script. Please use EVAL.\r\n");
      assertThat(other.call("EVALSHA", digest, "0")).isEqualTo("-NOSCRIPT No matching script.\r\n");
    }
  }

  @Test
  void shardId_isOneForAMasterAndItsReplica() throws Exception {
    try (EmbeddedServer server =
            EmbeddedServer.builder().cluster(2, 1).version(Version.REDIS_8_0).start();
        RawConnection master = new RawConnection(server.nodes().get(0).port());
        RawConnection other = new RawConnection(server.nodes().get(1).port());
        RawConnection replica = new RawConnection(server.nodes().get(2).port())) {
      String shard = master.call("CLUSTER", "MYSHARDID");
      assertThat(shard).startsWith("$40").isEqualTo(replica.call("CLUSTER", "MYSHARDID"));
      assertThat(shard).isNotEqualTo(other.call("CLUSTER", "MYSHARDID"));
      String before = other.call("CLUSTER", "MYSHARDID");
      server.nodes().get(3).failover();
      assertThat(other.call("CLUSTER", "MYSHARDID")).isEqualTo(before);
    }
  }

  /** A server of Redis 8.0 whose time the test moves, and a connection that is told its events. */
  private static final class Fields implements AutoCloseable {
    private final EmbeddedServer server =
        EmbeddedServer.builder()
            .version(Version.REDIS_8_0)
            .replicas(1)
            .clock(EmbeddedClock.manual(Instant.ofEpochSecond(1_000_000)))
            .start();
    private final RawConnection raw;
    private final RawConnection events;

    Fields() throws Exception {
      raw = new RawConnection(server.port());
      events = new RawConnection(server.port());
      raw.call("CONFIG", "SET", "notify-keyspace-events", "KEA");
      events.call("SUBSCRIBE", "__keyspace@0__:h");
    }

    void expectEvents(String... names) throws Exception {
      for (String name : names) {
        assertThat(events.read()).endsWith("\r\n" + name + "\r\n");
      }
    }

    @Override
    public void close() throws IOException {
      raw.close();
      events.close();
      server.close();
    }
  }

  @Test
  void fieldsExpire_withTheirEvents_andTheHashWithTheLastOne() throws Exception {
    try (Fields f = new Fields()) {
      f.raw.call("HSET", "h", "a", "1", "b", "2");
      assertThat(f.raw.call("HEXPIRE", "h", "10", "FIELDS", "2", "a", "no"))
          .isEqualTo("*2\r\n:1\r\n:-2\r\n");
      f.raw.call("HPEXPIRE", "h", "20000", "FIELDS", "1", "b");
      f.expectEvents("hset", "hexpire", "hexpire");
      assertThat(f.raw.call("INFO", "keyspace")).contains("subexpiry=1");
      f.server.clock().advance(Duration.ofSeconds(9));
      assertThat(f.raw.call("HPTTL", "h", "FIELDS", "3", "a", "b", "no"))
          .isEqualTo("*3\r\n:1000\r\n:11000\r\n:-2\r\n");
      f.server.clock().advance(Duration.ofSeconds(1));
      f.expectEvents("hexpired");
      assertThat(f.raw.call("HGETALL", "h")).isEqualTo("*2\r\n$1\r\nb\r\n$1\r\n2\r\n");
      f.server.clock().advance(Duration.ofSeconds(10));
      f.expectEvents("hexpired", "del");
      assertThat(f.raw.call("EXISTS", "h")).isEqualTo(":0\r\n");
      assertThat(f.raw.call("INFO", "stats")).contains("expired_subkeys:2");
    }
  }

  @Test
  void writesAndCopies_keepOrEndTheTimeToLive_asRedisDoes() throws Exception {
    try (Fields f = new Fields()) {
      f.raw.call("HSETEX", "h", "EX", "10", "FIELDS", "2", "a", "1", "b", "2");
      f.expectEvents("hset", "hexpire");
      f.raw.call("HINCRBY", "h", "a", "1");
      f.raw.call("HSET", "h", "b", "3");
      assertThat(f.raw.call("HTTL", "h", "FIELDS", "2", "a", "b"))
          .isEqualTo("*2\r\n:10\r\n:-1\r\n");
      f.raw.call("COPY", "h", "copy");
      f.raw.call("RENAME", "copy", "moved");
      String dump = f.raw.call("DUMP", "h");
      byte[] payload =
          RawConnection.latin(dump.substring(dump.indexOf('\n') + 1, dump.length() - 2));
      f.raw.send(
          RawConnection.request(
              List.of(
                  RawConnection.latin("RESTORE"),
                  RawConnection.latin("restored"),
                  RawConnection.latin("0"),
                  payload)));
      assertThat(f.raw.read()).isEqualTo("+OK\r\n");
      for (String key : new String[] {"moved", "restored"}) {
        assertThat(f.raw.call("HTTL", key, "FIELDS", "2", "a", "b"))
            .as(key)
            .isEqualTo("*2\r\n:10\r\n:-1\r\n");
      }
      assertThat(f.raw.call("OBJECT", "ENCODING", "h")).isEqualTo("$10\r\nlistpackex\r\n");
    }
  }

  @Test
  void replicasAndSnapshots_haveTheTimesToLive() throws Exception {
    try (Fields f = new Fields();
        RawConnection replica = new RawConnection(f.server.nodes().get(1).port())) {
      f.raw.call("HSET", "h", "a", "1", "b", "2");
      f.raw.call("HEXPIRE", "h", "10", "FIELDS", "1", "a");
      Snapshot before = f.server.snapshot();
      assertThat(replica.call("HTTL", "h", "FIELDS", "1", "a")).isEqualTo("*1\r\n:10\r\n");
      f.raw.call("FLUSHALL");
      f.server.restore(before);
      f.server.clock().advance(Duration.ofSeconds(10));
      assertThat(f.raw.call("HGETALL", "h")).isEqualTo("*2\r\n$1\r\nb\r\n$1\r\n2\r\n");
      assertThat(replica.call("HLEN", "h")).isEqualTo(":1\r\n");
    }
  }

  @Test
  void watchedHash_isChangedByAFieldThatExpires() throws Exception {
    try (Fields f = new Fields()) {
      f.raw.call("HSET", "h", "a", "1", "b", "2");
      f.raw.call("HEXPIRE", "h", "10", "FIELDS", "1", "a");
      f.raw.call("WATCH", "h");
      f.server.clock().advance(Duration.ofSeconds(10));
      f.raw.call("MULTI");
      f.raw.call("HLEN", "h");
      assertThat(f.raw.call("EXEC")).isEqualTo("*-1\r\n");
    }
  }
}
