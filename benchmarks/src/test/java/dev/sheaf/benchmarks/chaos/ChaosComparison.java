// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.chaos;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.chaos.ChaosChecker.Findings;
import dev.sheaf.chaos.ChaosClient;
import dev.sheaf.chaos.ClusterChaos;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.Relay;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The chaos and three probes for each client. What it finds goes to the file that {@link
 * ChaosTables} makes its tables of. Run by name alone; {@code -Dchaos=4m} is the time for each
 * client, 20 seconds otherwise; {@code -Dchaos.client=JEDIS} runs one of them.
 */
@Tag("slow")
class ChaosComparison {

  /** A probe that takes longer has failed. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private static final String KEY = "key";
  private static final String[] ONE_NODE = {
    "cluster-enabled yes", "cluster-announce-ip 127.0.0.1", "cluster-require-full-coverage no"
  };

  @ParameterizedTest
  @EnumSource(value = ChaosRival.class, mode = Mode.EXCLUDE, names = "SHEAF_ALONE")
  void chaos(ChaosRival rival) throws Exception {
    assumeTrue(isWanted(rival));
    ClusterChaos chaos = new ClusterChaos(uri -> rival.connect(uri, true), 0, 22);
    Duration time = Duration.parse("PT" + System.getProperty("chaos", "20s"));
    Findings found = chaos.run(time);
    System.out.println(rival.title() + ": " + found.summary() + "; faults " + chaos.faults());
    Map<String, String> row = new LinkedHashMap<>();
    row.put("minutes", decimal(time.toSeconds() / 60.0));
    row.put("calls", String.valueOf(found.calls()));
    for (String kind : new String[] {"doubled", "lost", "mixed up", "stale", "stuck"}) {
      row.put(kind, String.valueOf(found.of(kind)));
    }
    row.put("unknown", String.valueOf(found.unknown()));
    row.put("failed", String.valueOf(found.failed()));
    row.put("lost by servers", String.valueOf(found.lostByServer() + found.lostWhenDemoted()));
    row.put("paused", decimal(found.paused().toMillis() / 1e3 / ClusterChaos.THREADS));
    row.put("heap", String.valueOf(found.heapBytes() >> 20));
    ChaosTables.put(rival.title(), row);
  }

  @ParameterizedTest
  @EnumSource(ChaosRival.class)
  void probes(ChaosRival rival) throws Exception {
    assumeTrue(isWanted(rival));
    Map<String, String> row = new LinkedHashMap<>();
    row.put("demotion", demotion(rival));
    row.put("black hole", blackHole(rival));
    row.put("moved", movedToItself(rival));
    System.out.println(rival.title() + ": " + row);
    ChaosTables.put(rival.title(), row);
  }

  private static boolean isWanted(ChaosRival rival) {
    return System.getProperty("chaos.client", rival.name()).equals(rival.name());
  }

  /** The primary becomes a replica; its address leads new connections to the new primary. */
  private static String demotion(ChaosRival rival) throws Exception {
    try (RealRedis old = RealRedis.start();
        RealRedis successor = RealRedis.start();
        Relay relay = new Relay(old.port());
        ChaosClient client = rival.connect("redis://127.0.0.1:" + relay.port(), false)) {
      warmUp(client);
      relay.leadTo(successor.port());
      old.command("REPLICAOF", successor.host(), String.valueOf(successor.port()));
      return seconds(client);
    }
  }

  /** What is open loses all that is sent; new connections work. */
  private static String blackHole(ChaosRival rival) throws Exception {
    try (RealRedis server = RealRedis.start();
        Relay relay = new Relay(server.port());
        ChaosClient client = rival.connect("redis://127.0.0.1:" + relay.port(), false)) {
      warmUp(client);
      relay.blackHole();
      return seconds(client);
    }
  }

  /** A node hands its slot to one with the same address, which new connections lead to. */
  private static String movedToItself(ChaosRival rival) throws Exception {
    try (Relay relay = new Relay(0)) {
      String[] announced = {"cluster-announce-port " + relay.port()};
      try (RealRedis old = RealRedis.builder().config(ONE_NODE).config(announced).start();
          RealRedis successor = RealRedis.builder().config(ONE_NODE).config(announced).start()) {
        String oldId = Objects.toString(old.command("CLUSTER", "MYID"));
        String newId = Objects.toString(successor.command("CLUSTER", "MYID"));
        old.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        relay.leadTo(old.port());
        Await.until(
            "the slots",
            LONGEST,
            () -> old.command("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
        String port = String.valueOf(successor.port());
        String bus = String.valueOf(successor.port() + 10_000);
        old.command("CLUSTER", "MEET", "127.0.0.1", port, bus);
        Await.until(
            "both nodes to meet",
            LONGEST,
            () ->
                knows(old, newId)
                    && knows(successor, oldId)
                    && successor.command("CLUSTER", "INFO").toString().contains("state:ok"));
        try (ChaosClient client = rival.connect("redis://127.0.0.1:" + relay.port(), true)) {
          warmUp(client);
          String slot = String.valueOf(SlotHash.getSlot(KEY));
          relay.leadTo(successor.port());
          successor.command("CLUSTER", "SETSLOT", slot, "NODE", newId);
          old.command("DEL", KEY);
          old.command("CLUSTER", "SETSLOT", slot, "NODE", newId);
          return seconds(client);
        }
      }
    }
  }

  private static boolean knows(RealRedis node, String id) {
    String nodes = Objects.toString(node.command("CLUSTER", "NODES"));
    return nodes.contains(id) && !nodes.contains("handshake");
  }

  /** A second of traffic, so that all is set up that a client sets up later. */
  private static void warmUp(ChaosClient client) throws Exception {
    for (int i = 0; i < 100; i++) {
      client.set(KEY, "old");
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }

  /** The time until a write succeeds, in seconds, or that none did. */
  private static String seconds(ChaosClient client) {
    long began = System.nanoTime();
    while (System.nanoTime() - began < LONGEST.toNanos()) {
      try {
        client.set(KEY, "new");
        return decimal((System.nanoTime() - began) / 1e9);
      } catch (Exception notYet) {
        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
      }
    }
    return "never in " + LONGEST.toSeconds();
  }

  static String decimal(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
