package dev.sheaf.examples.demo;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisServerCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The server that is measured.
 *
 * @param uri where clients connect to
 * @param explained what its counts mean
 * @param counts what was counted so far
 */
record Target(
    String uri, String description, String explained, Supplier<Counts> counts, Runnable closing)
    implements AutoCloseable {

  /** Servers in this JVM, with the distance of a network, and perhaps its limit, before each. */
  static Target embedded(EmbeddedServer server, LatencyProxy.Builder proxy, String description) {
    List<LatencyProxy> proxies = new ArrayList<>();
    for (EmbeddedNode node : server.nodes()) {
      LatencyProxy started = proxy.target("127.0.0.1", node.port()).start();
      proxies.add(started);
      if (server.isCluster()) {
        server.announce(node, started.port());
      }
    }
    return new Target(
        "redis://127.0.0.1:" + proxies.get(0).port(),
        description,
        "Round trips are turns on the wire, summed over the nodes; those to different nodes pass at"
            + " the same time, and those of a pipeline overlap. Bytes are requests and replies"
            + " together. Proxies count both, the servers count commands.",
        () -> {
          long turns = 0;
          long bytes = 0;
          for (LatencyProxy each : proxies) {
            turns += each.stats().roundTrips();
            bytes += each.stats().bytesToServer() + each.stats().bytesToClient();
          }
          return new Counts(turns, server.stats().commandsProcessed(), bytes);
        },
        () -> {
          proxies.forEach(LatencyProxy::close);
          server.close();
        });
  }

  /** The user's own server or cluster. */
  static Target given(String uri) {
    Sheaf<String, String> observer = Sheaf.connect(uri);
    List<RedisServerCommands<String, String>> masters = new ArrayList<>();
    if (observer.isCluster()) {
      observer.cluster().getPartitions().stream()
          .filter(node -> node.getRole().isUpstream() && !node.getSlots().isEmpty())
          .forEach(node -> masters.add(observer.cluster().getConnection(node.getNodeId()).sync()));
    } else {
      masters.add(observer.standalone().sync());
    }
    return new Target(
        uri,
        masters.size() + " master(s) at " + Options.withoutPassword(uri),
        "Commands and bytes are those of INFO, with what other clients do and what asking costs."
            + " Round trips are not known without a proxy.",
        () -> {
          Long in = sum(masters, "total_net_input_bytes");
          Long out = sum(masters, "total_net_output_bytes");
          Long bytes = in == null || out == null ? null : Long.valueOf(in + out);
          return new Counts(null, sum(masters, "total_commands_processed"), bytes);
        },
        observer::close);
  }

  /** Null if the server does not let this user ask, or does not count this. */
  private static @Nullable Long sum(
      List<RedisServerCommands<String, String>> masters, String field) {
    long sum = 0;
    try {
      for (RedisServerCommands<String, String> master : masters) {
        Matcher found = Pattern.compile(field + ":(\\d+)").matcher(master.info("stats"));
        sum += found.find() ? Long.parseLong(found.group(1)) : 0;
      }
      return sum;
    } catch (RedisException refused) {
      return null;
    }
  }

  @Override
  public void close() {
    closing.run();
  }

  /**
   * What a server and the network before it have counted; null is what cannot be known.
   *
   * @param roundTrips turns between client and server, summed over connections and nodes
   * @param commands commands the server has run
   * @param bytes bytes of requests and replies
   */
  record Counts(@Nullable Long roundTrips, @Nullable Long commands, @Nullable Long bytes) {

    /** What was counted since, times the parts of the work. */
    Counts since(Counts mark, int parts) {
      return new Counts(
          since(roundTrips, mark.roundTrips, parts),
          since(commands, mark.commands, parts),
          since(bytes, mark.bytes, parts));
    }

    private static @Nullable Long since(@Nullable Long now, @Nullable Long then, int parts) {
      return now == null || then == null ? null : Long.valueOf((now - then) * parts);
    }
  }
}
