// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class CompressionMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final CompressionMeters meters = new CompressionMeters(registry, "test");

  @Test
  void whatIsWritten_isCountedByThePrefixOfItsPolicy() {
    compress("page:");
    compress("page:");
    compress("");

    assertThat(size("page:*", "original")).isEqualTo(200);
    assertThat(size("page:*", "stored")).isEqualTo(80);
    assertThat(size("*", "original")).isEqualTo(100);
  }

  @Test
  void furtherPrefixes_areCountedInTheTotalAlone() {
    for (int i = 0; i < CompressionMeters.MAX_PREFIXES + 10; i++) {
      compress("p" + i + ":");
    }

    assertThat(registry.find("sheaf.compression.prefix.size").counters())
        .hasSize(2 * CompressionMeters.MAX_PREFIXES);
    assertThat(
            registry
                .get("sheaf.compression.size")
                .tags("direction", "written", "form", "original")
                .counter()
                .count())
        .isEqualTo(100 * (CompressionMeters.MAX_PREFIXES + 10));
  }

  private void compress(String prefix) {
    meters.compressed(
        CompressionPolicy.of(prefix, Compressor.snappy()), 100, 40, System.nanoTime());
  }

  private double size(String prefix, String form) {
    return registry
        .get("sheaf.compression.prefix.size")
        .tags("client", "test", "prefix", prefix, "form", form)
        .counter()
        .count();
  }
}
