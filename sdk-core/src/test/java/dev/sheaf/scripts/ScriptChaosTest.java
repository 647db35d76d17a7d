// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.SlotMigration;
import dev.sheaf.testkit.RespConnection;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What may happen to a cluster happens while scripts are called. */
@Timeout(180)
class ScriptChaosTest {

  private static final Duration TIME = Duration.ofSeconds(4);

  @Test
  void flushFailoverJoinReshardingAndReconnects_leaveEveryCountExact() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(4, 1).start()) {
      EmbeddedNode joining = emptied(server);
      try (Sheaf<String, String> sheaf =
          Sheaf.builder(server.nodes().get(0).uri())
              .clientOptions(ScriptChaos.refreshing())
              .commandTimeout(Duration.ofSeconds(10))
              .connect()) {
        ScriptChaos chaos = new ScriptChaos(sheaf);
        Random random = new Random(42);
        chaos.run(
            TIME,
            step -> {
              disturb(server, joining, random, step % 6);
              LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            });
        chaos.check();
      }
    }
  }

  /** A primary without slots: to a client, it joins when it is given the first. */
  private static EmbeddedNode emptied(EmbeddedServer server) {
    List<EmbeddedNode> masters = server.nodes().stream().filter(EmbeddedNode::isMaster).toList();
    EmbeddedNode last = masters.get(masters.size() - 1);
    last.slots().stream().forEach(slot -> server.migrateSlot(slot, last, masters.get(0)));
    return last;
  }

  private static void disturb(
      EmbeddedServer server, EmbeddedNode joining, Random random, int kind) {
    List<EmbeddedNode> nodes = server.nodes();
    EmbeddedNode any = nodes.get(random.nextInt(nodes.size()));
    switch (kind) {
      case 0, 1, 2 -> call(any, "SCRIPT", "FLUSH");
      case 3 -> {
        List<EmbeddedNode> replicas = nodes.stream().filter(node -> !node.isMaster()).toList();
        replicas.get(random.nextInt(replicas.size())).failover();
      }
      case 4 -> reshard(server, joining, random);
      default -> call(any, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    }
  }

  /** Moves some slots of threads' keys step by step, so that ASK is answered meanwhile. */
  private static void reshard(EmbeddedServer server, EmbeddedNode joining, Random random) {
    for (int i = 0; i < 4; i++) {
      int slot =
          io.lettuce.core.cluster.SlotHash.getSlot("counts:" + random.nextInt(ScriptChaos.THREADS));
      List<EmbeddedNode> masters = server.nodes().stream().filter(EmbeddedNode::isMaster).toList();
      EmbeddedNode from =
          masters.stream().filter(node -> has(node.slots(), slot)).findFirst().orElseThrow();
      EmbeddedNode to =
          joining.isMaster() && random.nextBoolean()
              ? joining
              : masters.get(random.nextInt(masters.size()));
      if (from.id().equals(to.id())) {
        continue;
      }
      SlotMigration migration = server.beginMigration(slot, from, to);
      LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
      migration.moveKeys(100);
      call(to, "SCRIPT", "FLUSH");
      LockSupport.parkNanos(Duration.ofMillis(2).toNanos());
      migration.finish();
    }
  }

  private static boolean has(BitSet slots, int slot) {
    return slots.get(slot);
  }

  private static void call(EmbeddedNode node, String... command) {
    try (RespConnection connection = RespConnection.open("127.0.0.1", node.port())) {
      connection.call(command);
    }
  }
}
