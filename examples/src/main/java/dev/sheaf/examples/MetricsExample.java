// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionRefusedException;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The meters of a client: the size of its batches, and what went wrong. */
public final class MetricsExample {

  private static final int READS = 1_000;

  private MetricsExample() {}

  public static void main(String[] arguments) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (ExampleServer server = ExampleServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .name("example")
                .meterRegistry(registry)
                .compression(CompressionOptions.defaults())
                .connect()) {
      sheaf.sync().set("example:apple", "red");
      List<CompletableFuture<String>> reads =
          IntStream.range(0, READS)
              .mapToObj(i -> sheaf.async().get("example:apple").toCompletableFuture())
              .toList();
      reads.forEach(CompletableFuture::join);

      DistributionSummary batches =
          registry.get("sheaf.batch.commands").tag("client", "example").summary();
      System.out.println("all were counted: " + (batches.totalAmount() > READS));
      System.out.println("several in a write: " + (batches.mean() > 2));

      try {
        sheaf.sync().strlen("example:apple");
      } catch (CompressionRefusedException e) {
        System.out.println(
            "refused: " + (long) registry.get("sheaf.compression.refused").counter().count());
      }

      sheaf.sync().del("example:apple");
    }
  }
}
