package dev.sheaf.benchmarks.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

class ServerCountersTest {

  @Test
  void parse_infoReply_readsWhatCounts() {
    ServerCounters counters =
        ServerCounters.parse(
            "# Stats\r\ntotal_commands_processed:1200\r\ntotal_reads_processed:300\r\n"
                + "total_writes_processed:310\r\n\r\n# CPU\r\nused_cpu_sys:0.250000\r\n"
                + "used_cpu_user:1.500000\r\nused_cpu_sys_children:9.0\r\n");

    assertThat(counters).isEqualTo(new ServerCounters(1200, 300, 1_750_000));
  }

  @Test
  void parse_serverThatCountsNoReads_givesZeroForThem() {
    assertThat(ServerCounters.parse("total_commands_processed:7\r\n"))
        .isEqualTo(new ServerCounters(7, 0, 0));
  }

  @Test
  void parseMasters_nodesWithReplicaAndHostname_mastersOnly() {
    String nodes =
        """
        07c37d 127.0.0.1:30004@31004,host4 slave e7d1ee 0 1426238317239 4 connected
        67ed2d 127.0.0.1:30002@31002,host2 master - 0 1426238316232 2 connected 5461-10922
        e7d1ee 127.0.0.1:30001@31001 myself,master - 0 0 1 connected 0-5460
        """;

    assertThat(ServerCounters.parseMasters(nodes))
        .containsExactly(new HostAndPort("127.0.0.1", 30002), new HostAndPort("127.0.0.1", 30001));
  }
}
