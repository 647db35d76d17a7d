// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.node.Counters;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The text of INFO: the lines of info.txt with {@code ?} replaced by values, and names with {@code
 * *} repeated for several items. Lines of other versions are omitted.
 */
final class InfoSections {
  /** The sections by lower-case name: the title, and the lines. */
  private static final Map<String, List<String>> SECTIONS = new LinkedHashMap<>();

  static {
    List<String> section = List.of();
    for (String line : Edition.lines("info.txt")) {
      if (line.startsWith("[")) {
        String title = line.substring(1, line.length() - 1);
        section = new ArrayList<>(List.of("# " + title));
        SECTIONS.put(title.toLowerCase(Locale.ROOT), section);
      } else {
        section.add(line);
      }
    }
  }

  /** Returns the values of a line; null if the line is omitted. */
  private interface Fact {
    @Nullable Object value();
  }

  private final ServerNode node;
  private final Map<String, Fact> facts = new HashMap<>();

  private InfoSections(ServerNode node) {
    this.node = node;
    server();
    memory();
    counted();
    replication();
    fact("cmdstat_*", this::commands);
    fact("errorstat_*", this::errors);
    fact("cluster_enabled", () -> node.nodes.isCluster() ? 1 : 0);
    fact("db*", this::databases);
  }

  static String of(ServerNode node, List<String> wanted) {
    Set<String> names = new HashSet<>(wanted);
    boolean all = names.contains("all") || names.contains("everything");
    boolean standard = names.isEmpty() || names.contains("default");
    InfoSections info = new InfoSections(node);
    List<String> sections = new ArrayList<>();
    SECTIONS.forEach(
        (name, lines) -> {
          if (all || names.contains(name) || (standard && !name.equals("commandstats"))) {
            sections.add(info.section(lines));
          }
        });
    return String.join("\r\n", sections);
  }

  private String section(List<String> lines) {
    StringBuilder text = new StringBuilder(lines.get(0)).append("\r\n");
    for (String line : lines.subList(1, lines.size())) {
      if (!line.endsWith(":?")) {
        text.append(line).append("\r\n");
        continue;
      }
      String name = line.substring(0, line.length() - 2);
      Fact fact = facts.get(name);
      Object value = fact == null ? null : fact.value();
      if (value instanceof Map<?, ?> many) {
        many.forEach((key, one) -> line(text, name.replace("*", String.valueOf(key)), one));
      } else if (value != null) {
        line(text, name, value);
      }
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, Object value) {
    text.append(name).append(':').append(value).append("\r\n");
  }

  private void fact(String name, Fact fact) {
    facts.put(name, fact);
  }

  private void server() {
    Edition edition = node.edition();
    boolean valkey = edition.isValkey();
    String mode = node.nodes.isCluster() ? "cluster" : "standalone";
    long uptime = Math.max(0, node.nodes.now() - node.startedAt) / 1000;
    fact("redis_version", edition::redisVersion);
    fact("server_name", () -> valkey ? edition.server : null);
    fact("valkey_version", () -> valkey ? edition.version : null);
    fact("valkey_release_stage", () -> valkey ? "ga" : null);
    fact("redis_mode", () -> valkey ? null : mode);
    fact("server_mode", () -> valkey ? mode : null);
    fact("os", () -> System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    fact("process_id", () -> ProcessHandle.current().pid());
    fact("run_id", () -> node.id);
    fact("tcp_port", node::port);
    fact("server_time_usec", () -> node.nodes.now() * 1000);
    fact("uptime_in_seconds", () -> uptime);
    fact("uptime_in_days", () -> uptime / 86_400);
    fact("lru_clock", () -> node.nodes.now() / 1000 & 0xffffff);
    fact("connected_clients", () -> node.clients.size());
    fact("maxclients", () -> node.config.get("maxclients"));
    fact("blocked_clients", () -> node.blocked.size() + node.pause.heldClients());
    fact("tracking_clients", () -> node.tracking.clients());
  }

  private void memory() {
    Runtime runtime = Runtime.getRuntime();
    // Clients that compute the distance to the limit need the size that counts.
    long used =
        node.memory.limit() == 0
            ? runtime.totalMemory() - runtime.freeMemory()
            : node.memory.used();
    fact("used_memory", () -> used);
    fact("used_memory_human", () -> String.format(Locale.ROOT, "%.2fM", used / 1048576.0));
    fact("used_memory_rss", runtime::totalMemory);
    fact("used_memory_peak", runtime::totalMemory);
    fact("number_of_cached_scripts", () -> node.scripts.size());
    fact("number_of_functions", () -> node.functions.functionCount());
    fact("number_of_libraries", () -> node.functions.libraries().size());
    fact("maxmemory", () -> node.memory.limit());
    fact("maxmemory_policy", () -> node.config.get("maxmemory-policy"));
    fact("rdb_changes_since_last_save", node::dirty);
    fact("rdb_last_save_time", () -> node.startedAt / 1000);
  }

  private void counted() {
    Counters counters = node.counters;
    fact("total_connections_received", () -> counters.connections);
    fact("total_commands_processed", () -> counters.commands);
    fact("total_net_input_bytes", () -> counters.bytesIn);
    fact("total_net_output_bytes", () -> counters.bytesOut);
    fact("expired_subkeys", () -> node.edition().has("7.4.0") ? counters.expiredFields : null);
    fact("expired_keys", () -> counters.expiredKeys);
    fact("evicted_keys", () -> counters.evictedKeys);
    fact("keyspace_hits", () -> counters.hits);
    fact("keyspace_misses", () -> counters.misses);
    fact("pubsub_channels", () -> node.pubSub.channels.size());
    fact("pubsub_patterns", () -> node.pubSub.patterns.size());
    fact("pubsubshard_channels", () -> node.pubSub.shardChannels.size());
    fact("tracking_total_keys", () -> node.tracking.keys());
    fact("tracking_total_items", () -> node.tracking.items());
    fact("tracking_total_prefixes", () -> node.tracking.prefixes());
    fact("total_error_replies", () -> counters.errors);
    fact("total_reads_processed", () -> counters.readBatches);
  }

  private void replication() {
    ServerNode master = node.master();
    fact("role", () -> master == null ? "master" : "slave");
    if (master != null) {
      fact("master_host", master::announcedHost);
      fact("master_port", () -> master.announcedPort);
      fact("master_link_status", () -> "up");
      fact("master_last_io_seconds_ago", () -> 0);
      fact("master_sync_in_progress", () -> 0);
      fact("slave_read_repl_offset", node::replicationOffset);
      fact("slave_repl_offset", node::replicationOffset);
      fact("slave_priority", () -> 100);
      fact("slave_read_only", () -> 1);
    }
    fact("connected_slaves", () -> node.replicas.size());
    fact("slave*", this::replicas);
    fact("master_replid", () -> node.primary().id);
    fact("master_repl_offset", node::replicationOffset);
    fact("repl_backlog_active", () -> node.replicas.isEmpty() ? 0 : 1);
  }

  private Map<Integer, String> replicas() {
    Map<Integer, String> lines = new LinkedHashMap<>();
    for (ServerNode replica : node.replicas) {
      lines.put(
          lines.size(),
          "ip=%s,port=%s,state=online,offset=%s,lag=0"
              .formatted(
                  replica.announcedHost(), replica.announcedPort, replica.replicationOffset()));
    }
    return lines;
  }

  private Map<String, String> commands() {
    Map<String, String> lines = new LinkedHashMap<>();
    for (Command row : node.commands.rows()) {
      long calls = node.counters.perCommand[row.id];
      long rejected = node.counters.rejected[row.id];
      long failed = node.counters.failed[row.id];
      if (calls + rejected > 0) {
        lines.put(
            row.name(),
            "calls=%s,usec=0,usec_per_call=0.00,rejected_calls=%s,failed_calls=%s"
                .formatted(calls, rejected, failed));
      }
    }
    return lines;
  }

  private Map<String, String> errors() {
    Map<String, String> lines = new LinkedHashMap<>();
    node.counters.errorsByCode.forEach((code, count) -> lines.put(code, "count=" + count));
    return lines;
  }

  private Map<Integer, String> databases() {
    Map<Integer, String> lines = new LinkedHashMap<>();
    for (Database db : node.databases) {
      if (db.size() > 0) {
        String more = node.edition().has("7.4.0") ? ",subexpiry=" + db.partlyMortalSize() : "";
        lines.put(
            db.index,
            "keys=%s,expires=%s,avg_ttl=%s%s"
                .formatted(db.size(), db.mortalSize(), db.meanTtl(), more));
      }
    }
    return lines;
  }
}
