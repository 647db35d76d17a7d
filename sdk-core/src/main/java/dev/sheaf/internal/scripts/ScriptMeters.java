// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.scripts.Script;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What the scripts of one client report; nothing without a registry. Thread-safe. */
final class ScriptMeters {

  private final @Nullable MeterRegistry registry;
  private final Tags tags;
  private final @Nullable Counter mended;
  private final @Nullable Counter loads;
  private final @Nullable Counter failedLoads;
  private final @Nullable DistributionSummary sliceKeys;
  private final @Nullable Timer sliceTime;

  ScriptMeters(@Nullable MeterRegistry registry, String client) {
    this.registry = registry;
    this.tags = Tags.of("client", client);
    this.mended = counter("sheaf.script.mended", "Calls sent again because a node was flushed");
    this.loads = counter("sheaf.script.loads", "Texts that a node took");
    this.failedLoads = counter("sheaf.script.loads.failed", "Texts that a node did not take");
    if (registry == null) {
      sliceKeys = null;
      sliceTime = null;
    } else {
      sliceKeys =
          DistributionSummary.builder("sheaf.script.slice.keys")
              .description("Keys in one slice of a scatter")
              .tags(tags)
              .register(registry);
      sliceTime =
          Timer.builder("sheaf.script.slice.time")
              .description("Time the server spent on one slice of a scatter")
              .tags(tags)
              .register(registry);
    }
  }

  private @Nullable Counter counter(String name, String description) {
    return registry == null
        ? null
        : Counter.builder(name).description(description).tags(tags).register(registry);
  }

  /** The meter of one script's calls, or null. Scripts are few; see Scripts.MAX_REGISTERED. */
  @Nullable Timer callsOf(Script<?> script) {
    return registry == null
        ? null
        : Timer.builder("sheaf.script.calls")
            .description("Calls of a script, from sending to the result")
            .tags(tags.and("script", script.name()))
            .register(registry);
  }

  void mended() {
    increment(mended);
  }

  void loaded() {
    increment(loads);
  }

  void loadFailed() {
    increment(failedLoads);
  }

  void slice(int keys, long nanos) {
    if (sliceKeys != null && sliceTime != null) {
      sliceKeys.record(keys);
      sliceTime.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private static void increment(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }
}
