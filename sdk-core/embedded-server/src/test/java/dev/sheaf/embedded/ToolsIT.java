// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The field's own command line tools against this server. */
class ToolsIT {
  private record Outcome(int status, String output) {}

  private static Outcome run(String... command) throws Exception {
    RedisProcess.require(command[0]);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), output);
  }

  @Test
  void redisCli_followsRedirects_andFindsTheClusterHealthy() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 1).start()) {
      String port = "" + server.port();
      for (String key : List.of("foo", "bar", "hello")) {
        assertThat(run("redis-cli", "-c", "-p", port, "SET", key, "v-" + key).output())
            .contains("OK");
        assertThat(run("redis-cli", "-c", "-p", port, "GET", key).output()).contains("v-" + key);
      }
      Outcome check = run("redis-cli", "--cluster", "check", "127.0.0.1:" + port);
      assertThat(check.output()).contains("[OK] All 16384 slots covered.");
      assertThat(check.status()).isZero();
    }
  }

  @Test
  void redisCli_reshards_theKeysMoveWithTheirSlots() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 1).start()) {
      String port = "" + server.port();
      for (int i = 0; i < 300; i++) {
        server.data().set("key:" + i, "value " + i);
      }
      List<EmbeddedNode> masters = server.nodes().stream().filter(EmbeddedNode::isMaster).toList();
      EmbeddedNode from = masters.get(0);
      EmbeddedNode to = masters.get(1);
      int before = to.slots().cardinality();
      Outcome reshard =
          run(
              "redis-cli",
              "--cluster",
              "reshard",
              "127.0.0.1:" + port,
              "--cluster-from",
              from.id(),
              "--cluster-to",
              to.id(),
              "--cluster-slots",
              "100",
              "--cluster-yes");
      assertThat(reshard.status()).as(reshard.output()).isZero();
      assertThat(to.slots().cardinality()).isEqualTo(before + 100);
      Outcome check = run("redis-cli", "--cluster", "check", "127.0.0.1:" + port);
      assertThat(check.output())
          .contains("[OK] All nodes agree about slots configuration.")
          .contains("[OK] All 16384 slots covered.");
      assertThat(run("redis-cli", "--cluster", "fix", "127.0.0.1:" + port).status()).isZero();
      for (int i = 0; i < 300; i++) {
        assertThat(server.data().get("key:" + i)).hasValue("value " + i);
      }
    }
  }

  @Test
  void redisBenchmark_standaloneAndCluster_runsWithoutAnError() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start()) {
      Outcome plain =
          run("redis-benchmark", "-p", "" + server.port(), "-n", "2000", "-P", "8", "-q");
      assertThat(plain.output())
          .contains("SET:", "LRANGE_600", "MSET (10 keys)")
          .doesNotContain("Could not fetch");
      Outcome sharded =
          run(
              "redis-benchmark",
              "--cluster",
              "-p",
              "" + cluster.port(),
              "-n",
              "2000",
              "-q",
              "-t",
              "set,get");
      assertThat(sharded.status()).isZero();
      assertThat(sharded.output()).contains("GET:");
    }
  }
}
