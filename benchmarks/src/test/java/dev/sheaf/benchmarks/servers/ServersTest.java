// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void open_cluster_hasAllDataOnThreeMasters() {
    RealRedis.require();
    try (Servers servers = Servers.open(ServerKind.CLUSTER)) {
      List<HostAndPort> masters = Servers.masters(servers.uri());
      assertThat(masters).hasSize(3);
      long keys = 0;
      for (HostAndPort node : masters) {
        try (Jedis jedis = new Jedis(node)) {
          assertThat(jedis.dbSize()).isGreaterThan(Dataset.SMALL.keys() / 4);
          keys += jedis.dbSize();
        }
      }
      assertThat(keys).isEqualTo(Dataset.SMALL.keys() + Dataset.LARGE.keys() + 1);
    }
  }

  @Test
  void open_runningServerOfAnotherKind_saysWhatToSwap() {
    RealRedis.require();
    try (RealRedis single = RealRedis.start()) {
      String property = ServerKind.CLUSTER.property();
      System.setProperty(property, single.uri());
      try {
        assertThatThrownBy(() -> Servers.open(ServerKind.CLUSTER))
            .isInstanceOf(ComparisonException.class)
            .hasMessageContaining("-Dredis.cluster.uri names " + single.uri())
            .hasMessageContaining("is not a cluster");
      } finally {
        System.clearProperty(property);
      }
    }
  }

  @Test
  void parseMasters_nodesWithReplicaAndHostname_mastersOnly() {
    String nodes =
        """
        07c37d 127.0.0.1:30004@31004,host4 slave e7d1ee 0 1426238317239 4 connected
        67ed2d 127.0.0.1:30002@31002,host2 master - 0 1426238316232 2 connected 5461-10922
        e7d1ee 127.0.0.1:30001@31001 myself,master - 0 0 1 connected 0-5460
        """;

    assertThat(Servers.parseMasters(nodes))
        .containsExactly(new HostAndPort("127.0.0.1", 30002), new HostAndPort("127.0.0.1", 30001));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost:6379", "redis://localhost", "rediss://h:1", "redis://:pw@h:1", ":/"})
  void address_otherForm_saysWhichIsMeant(String uri) {
    assertThatThrownBy(() -> Servers.address(uri))
        .isInstanceOf(ComparisonException.class)
        .hasMessageEndingWith("redis://host:port, without a password, but was " + uri);
  }

  @ParameterizedTest
  @EnumSource(Dataset.class)
  void check_otherValue_isNotCounted(Dataset data) {
    String value = data.value(1);

    assertThat(data.check(1, value)).isEqualTo(value);
    assertThatThrownBy(() -> data.check(1, data.value(2)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> data.check(1, null)).isInstanceOf(IllegalStateException.class);
    // The last letter counts, too.
    assertThatThrownBy(() -> data.check(1, value.substring(0, value.length() - 1) + "!"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void neighbours_closed_areGone() {
    Set<ProcessHandle> before = descendants();
    Neighbours neighbours = new Neighbours(2);
    // Those two and the shell that ends them.
    Await.until("them to run", PATIENCE, () -> descendants().size() >= before.size() + 3);
    Set<ProcessHandle> started = descendants();
    started.removeAll(before);

    neighbours.close();

    Await.until(
        "their processes to end",
        PATIENCE,
        () -> started.stream().noneMatch(ProcessHandle::isAlive));
  }

  private static Set<ProcessHandle> descendants() {
    return ProcessHandle.current().descendants().collect(Collectors.toSet());
  }
}
