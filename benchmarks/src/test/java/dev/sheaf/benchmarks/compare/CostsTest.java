// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.benchmarks.servers.Servers;
import dev.sheaf.testkit.RealRedis;
import java.util.Map;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

class CostsTest {

  @Test
  void ofServer_infoReply_readsWhatCounts() {
    assertThat(
            Costs.ofServer(
                "# Stats\r\ntotal_commands_processed:1200\r\ntotal_reads_processed:300\r\n"
                    + "total_writes_processed:310\r\n\r\n# CPU\r\nused_cpu_sys:0.250000\r\n"
                    + "used_cpu_user:1.500000\r\nused_cpu_sys_children:9.0\r\n"))
        .isEqualTo(
            Map.of(Costs.COMMANDS, 1_200.0, Costs.SERVER_READS, 300.0, Costs.SERVER_CPU, 1.75e6));
  }

  @Test
  void each_serverThatCountsNoReads_saysNothingOfThem() {
    Map<String, Double> before = Costs.ofServer("total_commands_processed:7\r\n");
    Map<String, Double> after = Costs.ofServer("total_commands_processed:27\r\n");

    assertThat(Costs.each(before, after, 10))
        .isEqualTo(Map.of(Costs.COMMANDS, 2.0, Costs.SERVER_CPU, 0.0));
  }

  @Test
  void soFar_commandsSentAndCounted_differenceIsTheirNumber() {
    RealRedis.require();
    try (RealRedis server = RealRedis.start();
        Jedis jedis = new Jedis(Servers.address(server.uri()))) {
      long pid = ProcessHandle.current().pid();
      Map<String, Double> before = Costs.soFar(pid, server.uri());
      for (int i = 0; i < 500; i++) {
        jedis.get("key");
      }
      Map<String, Double> spent = Costs.each(before, Costs.soFar(pid, server.uri()), 1);

      // The questions themselves: two or three commands each.
      assertThat(spent.get(Costs.COMMANDS)).isBetween(500.0, 510.0);
      assertThat(spent.get(Costs.SERVER_READS)).isBetween(500.0, 520.0);
      assertThat(before.get(Costs.CLIENT_CPU)).isPositive();
    }
  }
}
