// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.scripts.Script;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/** The meters of one client's scripts; does nothing without a registry. Thread-safe. */
final class ScriptMeters {

  private final @Nullable MeterRegistry registry;
  private final Tags tags;
  private final @Nullable Counter mended;

  ScriptMeters(@Nullable MeterRegistry registry, String client) {
    this.registry = registry;
    this.tags = Tags.of("client", client);
    this.mended =
        registry == null
            ? null
            : Counter.builder("sheaf.script.mended")
                .description("Calls sent again because a node was flushed")
                .tags(tags)
                .register(registry);
  }

  /**
   * Returns the timer of one script's calls, or null. Their number is bounded by
   * Scripts.MAX_REGISTERED.
   */
  @Nullable Timer callsOf(Script<?> script) {
    return registry == null
        ? null
        : Timer.builder("sheaf.script.calls")
            .description("Calls of a script, from sending to the result")
            .tags(tags.and("script", script.name()))
            .register(registry);
  }

  void mended() {
    if (mended != null) {
      mended.increment();
    }
  }
}
