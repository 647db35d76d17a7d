// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.junit.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.RedisSentinelClient;

/** Nodes that come, go and move; slots that move by the commands of real tools; sentinels. */
@Timeout(180)
class ClusterOperationsTest {
  private static final int FOO_SLOT = 12182;

  private static EmbeddedNode owner(EmbeddedServer server, int slot) {
    return server.nodes().stream().filter(node -> node.slots().get(slot)).findFirst().orElseThrow();
  }

  private static EmbeddedNode otherMaster(EmbeddedServer server, EmbeddedNode node) {
    return server.nodes().stream()
        .filter(other -> other.isMaster() && other != node)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void setslotAndMigrate_moveASlotAsToolsDo(@EmbeddedRedis(masters = 3) EmbeddedServer server)
      throws Exception {
    EmbeddedNode from = owner(server, FOO_SLOT);
    EmbeddedNode to = otherMaster(server, from);
    String slot = "" + FOO_SLOT;
    try (RawConnection source = new RawConnection(from.port());
        RawConnection target = new RawConnection(to.port())) {
      source.call("SET", "{foo}1", "a", "PX", "100000");
      source.call("SET", "{foo}2", "b");
      assertThat(target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id()))
          .isEqualTo("+OK\r\n");
      assertThat(source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id()))
          .isEqualTo("+OK\r\n");
      assertThat(source.call("MIGRATE", "127.0.0.1", "" + to.port(), "{foo}1", "0", "1000"))
          .isEqualTo("+OK\r\n");
      assertThat(source.call("GET", "{foo}1"))
          .isEqualTo("-ASK 12182 127.0.0.1:" + to.port() + "\r\n");
      assertThat(source.call("MGET", "{foo}1", "{foo}2")).startsWith("-TRYAGAIN");
      assertThat(target.call("GET", "{foo}1")).startsWith("-MOVED 12182");
      target.call("ASKING");
      assertThat(target.call("GET", "{foo}1")).isEqualTo("$1\r\na\r\n");
      assertThat(source.call("CLUSTER", "SETSLOT", slot, "NODE", to.id()))
          .startsWith("-ERR Can't assign hashslot 12182");
      assertThat(
              source.call(
                  "MIGRATE",
                  "127.0.0.1",
                  "" + to.port(),
                  "",
                  "0",
                  "1000",
                  "KEYS",
                  "{foo}1",
                  "{foo}2"))
          .isEqualTo("+OK\r\n");
      assertThat(source.call("MIGRATE", "127.0.0.1", "" + to.port(), "{foo}2", "0", "1000"))
          .isEqualTo("+NOKEY\r\n");
      assertThat(target.call("CLUSTER", "SETSLOT", slot, "NODE", to.id())).isEqualTo("+OK\r\n");
      assertThat(source.call("CLUSTER", "SETSLOT", slot, "NODE", to.id())).isEqualTo("+OK\r\n");
      assertThat(source.call("GET", "{foo}2")).startsWith("-MOVED 12182 127.0.0.1:" + to.port());
      assertThat(target.call("GET", "{foo}2")).isEqualTo("$1\r\nb\r\n");
      assertThat(server.data().timeToLive("{foo}1")).isPresent();
      assertThat(source.call("CLUSTER", "NODES")).doesNotContain("->-");
    }
  }

  @Test
  void killedMaster_clusterIsDown_untilItsReplicaTakesOver_andItReturnsAsReplica(
      @EmbeddedRedis(masters = 2, replicas = 1) EmbeddedServer server) throws Exception {
    EmbeddedNode master = owner(server, FOO_SLOT);
    server.data().set("foo", "bar");
    EmbeddedNode replica =
        server.nodes().stream()
            .filter(node -> node.master().filter(m -> m == master).isPresent())
            .findFirst()
            .orElseThrow();
    try (RawConnection before = new RawConnection(master.port());
        RawConnection copy = new RawConnection(replica.port())) {
      master.kill();
      assertThat(before.isClosedByServer()).isTrue();
      assertThatThrownBy(() -> new RawConnection(master.port())).isInstanceOf(IOException.class);
      assertThat(copy.call("CLUSTER", "NODES")).contains("master,fail");
      assertThat(copy.call("GET", "foo")).startsWith("-CLUSTERDOWN");
      assertThat(copy.call("CLUSTER", "FAILOVER")).startsWith("-ERR Master is down");
      assertThat(copy.call("CLUSTER", "FAILOVER", "FORCE")).isEqualTo("+OK\r\n");
      assertThat(copy.call("GET", "foo")).isEqualTo("$3\r\nbar\r\n");
      master.start();
      try (RawConnection again = new RawConnection(master.port())) {
        assertThat(again.call("ROLE")).contains("slave");
        assertThat(again.call("GET", "foo"))
            .isEqualTo("-MOVED 12182 127.0.0.1:" + replica.port() + "\r\n");
      }
    }
  }

  @Test
  void nodesJoinAndLeave(@EmbeddedRedis(masters = 2) EmbeddedServer server) throws Exception {
    EmbeddedNode added = server.addMaster();
    EmbeddedNode from = owner(server, FOO_SLOT);
    server.data().set("foo", "bar");
    server.migrateSlot(FOO_SLOT, from, added);
    EmbeddedNode replica = added.addReplica();
    try (RawConnection raw = new RawConnection(replica.port())) {
      raw.call("READONLY");
      assertThat(raw.call("GET", "foo")).isEqualTo("$3\r\nbar\r\n");
    }
    assertThatThrownBy(() -> added.remove()).isInstanceOf(IllegalArgumentException.class);
    replica.remove();
    server.migrateSlot(FOO_SLOT, added, from);
    added.remove();
    assertThat(server.nodes()).hasSize(2);
    assertThat(server.data().get("foo")).hasValue("bar");
    assertThatThrownBy(() -> new RawConnection(added.port())).isInstanceOf(IOException.class);
  }

  @Test
  void restart_keepsPortAndData_losesScripts(@EmbeddedRedis EmbeddedServer server)
      throws Exception {
    int port = server.port();
    server.data().set("k", "v");
    try (RawConnection raw = new RawConnection(port)) {
      raw.call("SCRIPT", "LOAD", "return 1");
      server.restart();
      assertThat(raw.isClosedByServer()).isTrue();
    }
    try (RawConnection raw = new RawConnection(port)) {
      assertThat(raw.call("GET", "k")).isEqualTo("$1\r\nv\r\n");
      assertThat(raw.call("EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"))
          .startsWith("-NOSCRIPT");
    }
  }

  @Test
  void hundredNodes_startAndKnowEachOther() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(50, 1).start()) {
      try (RawConnection raw = new RawConnection(server.nodes().get(99).port())) {
        assertThat(raw.call("CLUSTER", "INFO")).contains("cluster_known_nodes:100");
      }
    }
  }

  @Test
  void sentinel_leadsClientsToTheMaster_alsoAfterAFailover() throws Exception {
    try (EmbeddedServer server =
        EmbeddedServer.builder().replicas(1).sentinel("mymaster").start()) {
      try (RedisClient client = RedisClient.create(server.sentinelUri())) {
        client.connect().sync().set("k", "lettuce");
      }
      try (RedisSentinelClient jedis =
          RedisSentinelClient.builder()
              .masterName("mymaster")
              .sentinels(
                  Set.of(new redis.clients.jedis.HostAndPort("127.0.0.1", server.sentinelPort())))
              .build()) {
        assertThat(jedis.get("k")).isEqualTo("lettuce");
        awaitSubscriber(server.sentinelPort());
        server.nodes().get(1).failover();
        awaitWrite(jedis);
      }
      assertThat(server.nodes().get(1).isMaster()).isTrue();
      try (RedisClient client = RedisClient.create(server.sentinelUri())) {
        assertThat(client.connect().sync().get("k")).isEqualTo("jedis");
      }
      try (RawConnection raw = new RawConnection(server.sentinelPort());
          RawConnection data = new RawConnection(server.port())) {
        assertThat(raw.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"))
            .contains("" + server.nodes().get(1).port());
        assertThat(raw.call("GET", "k")).startsWith("-ERR unknown command");
        assertThat(data.call("SENTINEL", "MASTERS")).startsWith("-ERR unknown command");
      }
    }
  }

  /** Jedis listens on a thread of its own, and would miss what is announced before. */
  private static void awaitSubscriber(int sentinelPort) throws Exception {
    try (RawConnection raw = new RawConnection(sentinelPort)) {
      Await.until("a subscriber", () -> raw.call("CLIENT", "LIST").contains(" sub=1 "));
    }
  }

  private static void awaitWrite(RedisSentinelClient jedis) {
    Await.until(
        "a write to succeed",
        () -> {
          try {
            jedis.set("k", "jedis");
            return true;
          } catch (redis.clients.jedis.exceptions.JedisException e) {
            return false;
          }
        });
  }
}
