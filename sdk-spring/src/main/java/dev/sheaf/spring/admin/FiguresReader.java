// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.spring.admin.Figures.MeterFigures;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;

/** Collects the figures of the page. Thread-safe. */
final class FiguresReader {

  /** The most meters that are listed: 2,000, several times those of a client with scripts. */
  static final int MAX_METERS = 2000;

  private static final String PREFIX = "sheaf.";

  private final ObjectProvider<? extends Sheaf<?, ?>> clients;
  private final ObjectProvider<MeterRegistry> registries;
  private final ClientState states;

  FiguresReader(
      ObjectProvider<? extends Sheaf<?, ?>> clients,
      ObjectProvider<MeterRegistry> registries,
      ClientState states) {
    this.clients = clients;
    this.registries = registries;
    this.states = states;
  }

  Figures read() {
    Sheaf<?, ?> sheaf = clients.getIfUnique();
    MeterRegistry registry = registries.getIfUnique();
    ClientState.Known known = sheaf == null ? null : states.of(sheaf);
    return new Figures(
        System.currentTimeMillis(),
        sheaf != null,
        known != null && known.cluster(),
        known == null ? null : known.guard(),
        registry != null,
        registry == null ? List.of() : meters(registry),
        known == null ? List.of() : known.loops());
  }

  private static List<MeterFigures> meters(MeterRegistry registry) {
    return registry.getMeters().stream()
        .filter(meter -> meter.getId().getName().startsWith(PREFIX))
        .limit(MAX_METERS)
        .map(FiguresReader::figures)
        .toList();
  }

  private static MeterFigures figures(Meter meter) {
    Map<String, String> tags = new TreeMap<>();
    for (Tag tag : meter.getId().getTags()) {
      tags.put(tag.getKey(), tag.getValue());
    }
    return new MeterFigures(meter.getId().getName(), tags, values(meter));
  }

  private static Map<String, Double> values(Meter meter) {
    Map<String, Double> values = new LinkedHashMap<>();
    if (meter instanceof Timer timer) {
      values.put("count", (double) timer.count());
      values.put("total", timer.totalTime(TimeUnit.MILLISECONDS));
      values.put("max", timer.max(TimeUnit.MILLISECONDS));
    } else if (meter instanceof DistributionSummary summary) {
      values.put("count", (double) summary.count());
      values.put("total", summary.totalAmount());
      values.put("max", summary.max());
    } else if (meter instanceof Counter counter) {
      values.put("count", counter.count());
    } else if (meter instanceof Gauge gauge) {
      values.put("value", gauge.value());
    }
    // JSON has no infinities and no NaN.
    values.values().removeIf(value -> !Double.isFinite(value));
    return values;
  }
}
