// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.node.Counters;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The text of INFO. */
final class InfoSections {
  private static final List<String> DEFAULT =
      List.of(
          "server",
          "clients",
          "memory",
          "persistence",
          "stats",
          "replication",
          "cpu",
          "modules",
          "errorstats",
          "cluster",
          "keyspace");

  private final ServerNode node;
  private final StringBuilder text = new StringBuilder();

  private InfoSections(ServerNode node) {
    this.node = node;
  }

  static String of(ServerNode node, List<String> wanted) {
    Set<String> sections = new LinkedHashSet<>();
    for (String name : wanted) {
      if (name.equals("all") || name.equals("everything")) {
        sections.addAll(DEFAULT);
        sections.add("commandstats");
      } else if (name.equals("default")) {
        sections.addAll(DEFAULT);
      } else {
        sections.add(name);
      }
    }
    if (wanted.isEmpty()) {
      sections.addAll(DEFAULT);
    }
    InfoSections info = new InfoSections(node);
    sections.forEach(info::section);
    return info.text.toString();
  }

  private void section(String name) {
    switch (name) {
      case "server" -> server();
      case "clients" -> clients();
      case "memory" -> memory();
      case "persistence" -> {
        title("Persistence");
        line("loading", 0);
        line("rdb_changes_since_last_save", node.dirty());
        line("rdb_bgsave_in_progress", 0);
        line("rdb_last_save_time", node.startedAt() / 1000);
        line("rdb_last_bgsave_status", "ok");
        line("aof_enabled", 0);
      }
      case "stats" -> stats();
      case "replication" -> replication();
      case "cpu" -> {
        title("CPU");
        line("used_cpu_sys", "0.000000");
        line("used_cpu_user", "0.000000");
      }
      case "modules" -> title("Modules");
      case "commandstats" -> commandStats();
      case "errorstats" -> {
        title("Errorstats");
        node.counters()
            .errorsByCode()
            .forEach((code, count) -> line("errorstat_" + code, "count=" + count));
      }
      case "cluster" -> {
        title("Cluster");
        line("cluster_enabled", node.nodes().isCluster() ? 1 : 0);
      }
      case "keyspace" -> keyspace();
      default -> {
        // Redis answers an unknown section with nothing.
      }
    }
  }

  private void title(String name) {
    if (text.length() > 0) {
      text.append("\r\n");
    }
    text.append("# ").append(name).append("\r\n");
  }

  private void line(String name, Object value) {
    text.append(name).append(':').append(value).append("\r\n");
  }

  private void server() {
    long uptime = Math.max(0, node.nodes().now() - node.startedAt()) / 1000;
    title("Server");
    Edition edition = node.edition();
    line("redis_version", edition.redisVersion());
    if (edition.isValkey()) {
      line("server_name", edition.server());
      line("valkey_version", edition.version());
      line("valkey_release_stage", "ga");
    }
    line("redis_git_sha1", "00000000");
    line("redis_git_dirty", 0);
    line("redis_build_id", "0");
    line(
        edition.isValkey() ? "server_mode" : "redis_mode",
        node.nodes().isCluster() ? "cluster" : "standalone");
    line("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    line("arch_bits", 64);
    line("multiplexing_api", "nio");
    line("process_id", ProcessHandle.current().pid());
    line("run_id", node.id());
    line("tcp_port", node.port());
    line("server_time_usec", node.nodes().now() * 1000);
    line("uptime_in_seconds", uptime);
    line("uptime_in_days", uptime / 86_400);
    line("hz", 10);
    line("executable", "sheaf-embedded-server");
    line("config_file", "");
  }

  private void clients() {
    title("Clients");
    line("connected_clients", node.clients().size());
    line("cluster_connections", 0);
    line("maxclients", node.config().values().getOrDefault("maxclients", "0"));
    line("blocked_clients", node.blocked().size() + node.pause().heldClients());
    line("tracking_clients", node.tracking().clients());
  }

  private void memory() {
    Runtime runtime = Runtime.getRuntime();
    long used = runtime.totalMemory() - runtime.freeMemory();
    title("Memory");
    line("used_memory", used);
    line("used_memory_human", String.format("%.2fM", used / 1048576.0));
    line("used_memory_rss", runtime.totalMemory());
    line("used_memory_peak", runtime.totalMemory());
    line("maxmemory", 0);
    line("maxmemory_policy", "noeviction");
    line("mem_fragmentation_ratio", "1.00");
    line("mem_allocator", "jvm");
    line("number_of_cached_scripts", node.scripts().size());
    line("number_of_functions", node.functions().functionCount());
    line("number_of_libraries", node.functions().libraries().size());
  }

  private void stats() {
    Counters counters = node.counters();
    title("Stats");
    line("total_connections_received", counters.connections);
    line("total_commands_processed", counters.commands);
    line("instantaneous_ops_per_sec", 0);
    line("total_net_input_bytes", counters.bytesIn);
    line("total_net_output_bytes", counters.bytesOut);
    line("rejected_connections", 0);
    if (node.edition().has("7.4.0")) {
      line("expired_subkeys", counters.expiredFields);
    }
    line("expired_keys", counters.expiredKeys);
    line("evicted_keys", 0);
    line("keyspace_hits", counters.hits);
    line("keyspace_misses", counters.misses);
    line("pubsub_channels", node.pubSub().channels().size());
    line("pubsub_patterns", node.pubSub().patterns().size());
    line("total_error_replies", counters.errors);
  }

  private void replication() {
    title("Replication");
    ServerNode master = node.master();
    if (master == null) {
      line("role", "master");
    } else {
      line("role", "slave");
      line("master_host", master.announcedHost());
      line("master_port", master.announcedPort());
      line("master_link_status", "up");
      line("master_last_io_seconds_ago", 0);
      line("master_sync_in_progress", 0);
      line("slave_read_repl_offset", node.replicationOffset());
      line("slave_repl_offset", node.replicationOffset());
      line("slave_priority", 100);
      line("slave_read_only", 1);
    }
    line("connected_slaves", node.replicas().size());
    int i = 0;
    for (ServerNode replica : node.replicas()) {
      line(
          "slave" + i++,
          "ip="
              + replica.announcedHost()
              + ",port="
              + replica.announcedPort()
              + ",state=online,offset="
              + replica.replicationOffset()
              + ",lag=0");
    }
    line("master_failover_state", "no-failover");
    line("master_replid", node.primary().id());
    line("master_replid2", "0".repeat(40));
    line("master_repl_offset", node.replicationOffset());
    line("second_repl_offset", -1);
    line("repl_backlog_active", node.replicas().isEmpty() ? 0 : 1);
  }

  private void commandStats() {
    title("Commandstats");
    for (Command row : node.commands().rows()) {
      long calls = node.counters().perCommand[row.id()];
      long rejected = node.counters().rejected[row.id()];
      long failed = node.counters().failed[row.id()];
      if (calls + rejected > 0) {
        line(
            "cmdstat_" + row.name(),
            "calls="
                + calls
                + ",usec=0,usec_per_call=0.00,rejected_calls="
                + rejected
                + ",failed_calls="
                + failed);
      }
    }
  }

  private void keyspace() {
    title("Keyspace");
    for (Database db : node.databases()) {
      if (db.size() > 0) {
        line(
            "db" + db.index(),
            "keys="
                + db.size()
                + ",expires="
                + db.mortalSize()
                + ",avg_ttl="
                + db.meanTtl()
                + (node.edition().has("7.4.0") ? ",subexpiry=" + db.partlyMortalSize() : ""));
      }
    }
  }
}
