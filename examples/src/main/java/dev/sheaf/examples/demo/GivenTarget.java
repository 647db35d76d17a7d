package dev.sheaf.examples.demo;

import dev.sheaf.Sheaf;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisServerCommands;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The user's own server or cluster, asked by INFO what it counts, over a connection of its own. */
final class GivenTarget implements TargetServer {

  private final String uri;
  private final String keyPrefix;
  private final Sheaf<String, String> observer;
  private final List<RedisServerCommands<String, String>> masters = new ArrayList<>();
  private final Counts costOfAsking;

  private GivenTarget(String uri, String keyPrefix, Sheaf<String, String> observer) {
    this.uri = uri;
    this.keyPrefix = keyPrefix;
    this.observer = observer;
    if (observer.isCluster()) {
      StatefulRedisClusterConnection<String, String> cluster = observer.cluster();
      for (RedisClusterNode node : cluster.getPartitions()) {
        if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
          masters.add(cluster.getConnection(node.getNodeId()).sync());
        }
      }
    } else {
      masters.add(observer.standalone().sync());
    }
    // The first reply may differ in length from later ones; then what asking itself adds.
    info();
    Counts first = info();
    costOfAsking = info().minus(first);
  }

  /**
   * Connects.
   *
   * @throws DemoException if the server cannot be reached or the URI cannot be understood
   */
  static GivenTarget connect(String uri, String keyPrefix) {
    try {
      Sheaf<String, String> observer = Sheaf.connect(uri);
      try {
        return new GivenTarget(uri, keyPrefix, observer);
      } catch (RuntimeException e) {
        observer.close();
        throw e;
      }
    } catch (IllegalArgumentException | RedisException e) {
      throw new DemoException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public String description() {
    Map<String, String> server = section(masters.get(0), "server");
    String valkey = server.get("valkey_version");
    String name =
        valkey == null
            ? "Redis " + server.getOrDefault("redis_version", "of unknown version")
            : "Valkey " + valkey;
    return (observer.isCluster() ? "a cluster of " + masters.size() + " masters, " : "")
        + name
        + ", at "
        + DemoOptions.withoutPassword(uri);
  }

  @Override
  public String keyPrefix() {
    return keyPrefix;
  }

  @Override
  public String countsExplained() {
    return "Commands and bytes (requests and replies together) are what the server reports by "
        + "INFO, less what asking costs; the commands of its other clients are among them. Round "
        + "trips are not known without a proxy.";
  }

  @Override
  public String narrowLinkExplained() {
    return "the network that is there";
  }

  @Override
  public TargetServer behindNarrowLink() {
    return this;
  }

  @Override
  public Counts mark() {
    return info();
  }

  @Override
  public Counts since(Counts mark) {
    return info().minus(mark).minus(costOfAsking);
  }

  private Counts info() {
    long commands = 0;
    long bytes = 0;
    for (RedisServerCommands<String, String> master : masters) {
      Map<String, String> stats = section(master, "stats");
      Long ran = number(stats.get("total_commands_processed"));
      Long in = number(stats.get("total_net_input_bytes"));
      Long out = number(stats.get("total_net_output_bytes"));
      if (ran == null || in == null || out == null) {
        return Counts.UNKNOWN;
      }
      commands += ran;
      bytes += in + out;
    }
    return new Counts(null, commands, bytes);
  }

  /** The fields of a section of INFO; none if the server does not let this user ask. */
  private static Map<String, String> section(
      RedisServerCommands<String, String> server, String name) {
    Map<String, String> fields = new TreeMap<>();
    try {
      for (String line : server.info(name).split("\r?\n")) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
      }
    } catch (RedisException refused) {
      return Map.of();
    }
    return fields;
  }

  private static @Nullable Long number(@Nullable String text) {
    try {
      return text == null ? null : Long.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  @Override
  public void close() {
    observer.close();
  }
}
