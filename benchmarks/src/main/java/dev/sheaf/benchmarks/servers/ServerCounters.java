package dev.sheaf.benchmarks.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * What servers have done since they started, by their own account, summed over the masters of a
 * cluster.
 *
 * @param commands commands processed
 * @param reads reads from sockets; 0 from a server that does not count them
 * @param cpuMicros processor time of the servers, in microseconds
 */
public record ServerCounters(long commands, long reads, long cpuMicros) {

  /** Asks one server, or the masters of the cluster it belongs to. */
  public static ServerCounters ask(String uri) {
    List<ServerCounters> all = new ArrayList<>();
    for (HostAndPort node : masters(Servers.address(uri))) {
      try (Jedis jedis = new Jedis(node)) {
        all.add(parse(jedis.info("everything")));
      }
    }
    return all.stream().reduce(new ServerCounters(0, 0, 0), ServerCounters::plus);
  }

  private static List<HostAndPort> masters(HostAndPort seed) {
    try (Jedis jedis = new Jedis(seed)) {
      if (!jedis.info("cluster").contains("cluster_enabled:1")) {
        return List.of(seed);
      }
      return parseMasters(jedis.clusterNodes());
    }
  }

  /** The masters in the reply of CLUSTER NODES. */
  public static List<HostAndPort> parseMasters(String nodes) {
    return nodes
        .lines()
        .map(line -> line.split(" "))
        .filter(fields -> fields[2].contains("master"))
        .map(fields -> HostAndPort.from(fields[1].split("[@,]")[0]))
        .toList();
  }

  /** Reads the reply of INFO. */
  public static ServerCounters parse(String info) {
    Map<String, String> fields =
        Stream.of(info.split("\r?\n"))
            .filter(line -> line.contains(":"))
            .map(line -> line.split(":", 2))
            .collect(Collectors.toMap(f -> f[0], f -> f[1], (first, second) -> first));
    double seconds = seconds(fields, "used_cpu_user") + seconds(fields, "used_cpu_sys");
    return new ServerCounters(
        count(fields, "total_commands_processed"),
        count(fields, "total_reads_processed"),
        Math.round(seconds * 1e6));
  }

  private static long count(Map<String, String> fields, String name) {
    return Long.parseLong(fields.getOrDefault(name, "0"));
  }

  private static double seconds(Map<String, String> fields, String name) {
    return Double.parseDouble(fields.getOrDefault(name, "0"));
  }

  private ServerCounters plus(ServerCounters other) {
    return new ServerCounters(
        commands + other.commands, reads + other.reads, cpuMicros + other.cpuMicros);
  }

  public ServerCounters minus(ServerCounters earlier) {
    return new ServerCounters(
        commands - earlier.commands, reads - earlier.reads, cpuMicros - earlier.cpuMicros);
  }
}
