// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Batch;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import java.util.stream.Collectors;

class BatchMetersContractTest {

  @ForEachServer(on = Topology.STANDALONE)
  void batch_isCountedByWhatItSaved(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).name("shop").connect()) {
      sheaf.sync().set("a", "1");
      long before = registry.get("sheaf.batch.commands").summary().count();
      try (Batch<String, String> batch = sheaf.batch()) {
        batch.get("a");
        batch.get("a");
        batch.get("missing");
        batch.add(redis -> redis.set("b", "2"));
      }
      assertThat(registry.get("sheaf.batch.commands").summary().count()).isEqualTo(before + 1);
      assertThat(registry.get("sheaf.batch.commands").summary().max()).isEqualTo(4);
      assertThat(registry.get("sheaf.batch.size").summary().totalAmount()).isPositive();
      assertThat(registry.get("sheaf.get.fused").counter().count()).isEqualTo(3);
      assertThat(registry.get("sheaf.get.shared").counter().count()).isEqualTo(1);
      assertThat(registry.get("sheaf.get.nil.checks").counter().count()).isEqualTo(1);
      assertThat(registry.get("sheaf.queue.commands").gauge().value()).isZero();
      assertThat(registry.get("sheaf.batch.commands").tag("client", "shop").summary()).isNotNull();
    }
  }

  @ForEachServer
  void meters_areTheSameFew_howeverManyNodesAndCommands(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).connect()) {
      Set<String> before = names(registry);
      for (int i = 0; i < 100; i++) {
        sheaf.sync().set("key" + i, "v");
        sheaf.sync().lpush("list" + i, "v");
      }
      assertThat(names(registry)).isEqualTo(before);
      assertThat(registry.getMeters()).hasSize(41);
    }
  }

  private static Set<String> names(SimpleMeterRegistry registry) {
    return registry.getMeters().stream()
        .map(Meter::getId)
        .map(Meter.Id::toString)
        .collect(Collectors.toSet());
  }
}
