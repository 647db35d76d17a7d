// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import redis.clients.jedis.HostAndPort;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterTest {
  private static final int FOO_SLOT = 12182;
  private EmbeddedServer server;

  ClusterTest() {
    server = EmbeddedServer.builder().cluster(3, 1).start();
  }

  @BeforeAll
  void nodesAreThree() {
    assertThat(server.nodes()).hasSize(6);
  }

  @AfterAll
  void close() {
    server.close();
  }

  private RawConnection connect(EmbeddedNode node) throws Exception {
    return new RawConnection(node.port());
  }

  private EmbeddedNode owner(int slot) {
    return server.nodes().stream().filter(node -> node.slots().get(slot)).findFirst().orElseThrow();
  }

  private EmbeddedNode otherMaster(EmbeddedNode node) {
    return server.nodes().stream()
        .filter(other -> other.isMaster() && other != node)
        .findFirst()
        .orElseThrow();
  }

  private EmbeddedNode replicaOf(EmbeddedNode master) {
    return server.nodes().stream()
        .filter(node -> node.master().filter(m -> m == master).isPresent())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void lettuceCluster_manyKeys_reachTheirNodesAndReplicas() {
    try (RedisClusterClient client = RedisClusterClient.create(RedisURI.create(server.uri()))) {
      var connection = client.connect();
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < 200; i++) {
        values.put("lettuce:" + i, "v" + i);
      }
      connection.sync().mset(values);
      connection.setReadFrom(ReadFrom.REPLICA);
      List<String> keys = List.copyOf(values.keySet());
      assertThat(connection.sync().mget(keys.toArray(new String[0])))
          .allSatisfy(kv -> assertThat(kv.getValue()).isEqualTo(values.get(kv.getKey())));
      long replicaReads =
          server.nodes().stream()
              .filter(node -> !node.isMaster())
              .mapToLong(node -> node.stats().count("MGET"))
              .sum();
      assertThat(replicaReads).isPositive();
      String sum =
          connection
              .sync()
              .eval("return redis.call('GET',KEYS[1])", ScriptOutputType.VALUE, "lettuce:1");
      assertThat(sum).isEqualTo("v1");
    }
  }

  @Test
  void jedisCluster_writesAndReads() {
    try (redis.clients.jedis.RedisClusterClient jedis =
        redis.clients.jedis.RedisClusterClient.create(
            java.util.Set.of(new HostAndPort("127.0.0.1", server.port())))) {
      for (int i = 0; i < 50; i++) {
        jedis.set("jedis:" + i, "" + i);
      }
      assertThat(jedis.get("jedis:49")).isEqualTo("49");
      assertThat(jedis.eval("return redis.call('INCRBY',KEYS[1],ARGV[1])", 1, "jedis:1", "5"))
          .isEqualTo(6L);
    }
  }

  @Test
  void wrongNode_answersMovedWithSlotAndAddress() throws Exception {
    EmbeddedNode owner = owner(FOO_SLOT);
    try (RawConnection other = connect(otherMaster(owner))) {
      assertThat(other.call("GET", "foo"))
          .isEqualTo("-MOVED " + FOO_SLOT + " 127.0.0.1:" + owner.port() + "\r\n");
      assertThat(other.call("MGET", "foo", "bar")).startsWith("-CROSSSLOT Keys in request don't");
      assertThat(other.call("SELECT", "1")).startsWith("-ERR SELECT is not allowed");
      assertThat(other.call("MULTI")).isEqualTo("+OK\r\n");
      assertThat(other.call("GET", "foo")).startsWith("-MOVED");
      assertThat(other.call("EXEC")).startsWith("-EXECABORT");
    }
  }

  @Test
  void replica_readsAfterReadonly_refusesWritesWithMoved() throws Exception {
    EmbeddedNode owner = owner(FOO_SLOT);
    try (RawConnection master = connect(owner);
        RawConnection replica = connect(replicaOf(owner))) {
      assertThat(master.call("SET", "foo", "replicated")).isEqualTo("+OK\r\n");
      assertThat(replica.call("GET", "foo")).startsWith("-MOVED");
      assertThat(replica.call("READONLY")).isEqualTo("+OK\r\n");
      assertThat(replica.call("GET", "foo")).isEqualTo("$10\r\nreplicated\r\n");
      assertThat(replica.call("SET", "foo", "x")).startsWith("-MOVED");
      assertThat(replica.call("FLUSHALL")).startsWith("-READONLY You can't write");
      assertThat(replica.call("EVAL_RO", "return redis.call('GET',KEYS[1])", "1", "foo"))
          .isEqualTo("$10\r\nreplicated\r\n");
      assertThat(replica.call("EVAL", "return 1", "1", "foo")).startsWith("-MOVED");
    }
  }

  @Test
  void scriptsAndPops_reachTheReplicaByTheirEffect() throws Exception {
    EmbeddedNode owner = owner(FOO_SLOT);
    try (RawConnection master = connect(owner);
        RawConnection replica = connect(replicaOf(owner))) {
      replica.call("READONLY");
      master.call("SADD", "{foo}set", "a", "b", "c", "d", "e");
      master.call("SPOP", "{foo}set", "2");
      master.call("EVAL", "redis.call('SADD',KEYS[1],math.random()) return 1", "1", "{foo}set");
      master.call("INCRBYFLOAT", "{foo}float", "0.1");
      assertThat(RawConnection.sorted(replica.call("SMEMBERS", "{foo}set")))
          .isEqualTo(RawConnection.sorted(master.call("SMEMBERS", "{foo}set")));
      assertThat(replica.call("GET", "{foo}float")).isEqualTo("$3\r\n0.1\r\n");
      assertThat(master.call("EVAL", "return redis.call('GET','elsewhere')", "1", "foo"))
          .contains("Script attempted to access a non local key in a cluster node");
    }
  }

  @Test
  void migration_betweenBeginAndFinish_asksAndTriesAgain() throws Exception {
    try (EmbeddedServer own = EmbeddedServer.builder().cluster(2, 0).start();
        RawConnection from = new RawConnection(own.nodes().get(1).port());
        RawConnection to = new RawConnection(own.nodes().get(0).port())) {
      EmbeddedNode giver = own.nodes().get(1);
      EmbeddedNode taker = own.nodes().get(0);
      from.call("MSET", "{foo}1", "a", "{foo}2", "b");
      SlotMigration migration = own.beginMigration(FOO_SLOT, giver, taker);
      assertThat(from.call("GET", "{foo}1")).isEqualTo("$1\r\na\r\n");
      String ask = "-ASK " + FOO_SLOT + " 127.0.0.1:" + taker.port() + "\r\n";
      assertThat(from.call("GET", "{foo}new")).isEqualTo(ask);
      assertThat(migration.moveKeys(1)).isEqualTo(1);
      assertThat(from.call("MGET", "{foo}1", "{foo}2")).startsWith("-TRYAGAIN");
      assertThat(from.call("GET", "{foo}1")).isEqualTo(ask);
      assertThat(to.call("GET", "{foo}1")).startsWith("-MOVED " + FOO_SLOT);
      assertThat(to.call("ASKING")).isEqualTo("+OK\r\n");
      assertThat(to.call("GET", "{foo}1")).isEqualTo("$1\r\na\r\n");
      assertThat(to.call("GET", "{foo}1")).startsWith("-MOVED " + FOO_SLOT);
      migration.finish();
      assertThatThrownBy(() -> migration.moveKeys(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is not under migration");
      assertThat(from.call("GET", "{foo}2")).startsWith("-MOVED " + FOO_SLOT);
      assertThat(to.call("MGET", "{foo}1", "{foo}2")).isEqualTo("*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    }
  }

  @Test
  void failover_replicaServesTheDataAndTheOldMasterFollows() throws Exception {
    try (EmbeddedServer own = EmbeddedServer.builder().cluster(1, 1).start();
        RawConnection old = new RawConnection(own.nodes().get(0).port());
        RawConnection next = new RawConnection(own.nodes().get(1).port())) {
      old.call("SET", "k", "v");
      own.nodes().get(1).failover();
      assertThat(next.call("GET", "k")).isEqualTo("$1\r\nv\r\n");
      assertThat(old.call("GET", "k")).startsWith("-MOVED");
      next.call("SET", "k", "w");
      old.call("READONLY");
      assertThat(old.call("GET", "k")).isEqualTo("$1\r\nw\r\n");
      assertThat(own.nodes().get(1).isMaster()).isTrue();
    }
  }

  @Test
  void announcedPort_isWhatClientsAreTold() throws Exception {
    try (EmbeddedServer own = EmbeddedServer.builder().cluster(2, 0).start();
        RawConnection raw = new RawConnection(own.port())) {
      own.nodes().get(1).announcePort(12345);
      assertThat(raw.call("GET", "foo")).isEqualTo("-MOVED " + FOO_SLOT + " 127.0.0.1:12345\r\n");
      assertThat(raw.call("CLUSTER", "NODES")).contains("127.0.0.1:12345@");
      assertThat(raw.call("CLUSTER", "SLOTS")).contains(":12345\r\n");
      assertThat(raw.call("CLUSTER", "SHARDS")).contains(":12345\r\n");
    }
  }
}
