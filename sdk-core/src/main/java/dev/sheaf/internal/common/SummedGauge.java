// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A gauge that shows the sum over all clients of one name. A registry keeps only the first gauge of
 * a name and tags, so a client that was started again would not be seen.
 *
 * <p>Measured objects are held weakly, as by Micrometer. Thread-safe.
 */
public final class SummedGauge {

  private static final Map<MeterRegistry, Map<Identity, SummedGauge>> KNOWN = new WeakHashMap<>();

  private record Identity(String name, Tags tags) {}

  private record Part<T>(WeakReference<T> measured, ToDoubleFunction<T> figure) {

    boolean isOf(@Nullable Object other) {
      T now = measured.get();
      return now == null || now == other;
    }

    double value() {
      T now = measured.get();
      return now == null ? 0 : figure.applyAsDouble(now);
    }
  }

  private final List<Part<?>> parts = new ArrayList<>();
  private @Nullable Gauge gauge;

  private SummedGauge() {}

  /**
   * Adds an object to a gauge, and registers the gauge if necessary.
   *
   * @param unit the base unit, or null for a count
   * @param measured the object; once for each name and tags
   */
  public static <T> void add(
      MeterRegistry registry,
      String name,
      String description,
      @Nullable String unit,
      Tags tags,
      T measured,
      ToDoubleFunction<T> figure) {
    synchronized (KNOWN) {
      SummedGauge sum =
          KNOWN
              .computeIfAbsent(registry, any -> new HashMap<>())
              .computeIfAbsent(new Identity(name, tags), any -> new SummedGauge());
      sum.change(parts -> parts.add(new Part<>(new WeakReference<>(measured), figure)));
      if (sum.gauge == null) {
        sum.gauge =
            Gauge.builder(name, sum, SummedGauge::value)
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .strongReference(true)
                .register(registry);
      }
    }
  }

  /** Removes an object. A gauge without objects is removed from its registry. */
  public static void remove(MeterRegistry registry, String name, Tags tags, Object measured) {
    synchronized (KNOWN) {
      Map<Identity, SummedGauge> ofRegistry = KNOWN.get(registry);
      Identity identity = new Identity(name, tags);
      SummedGauge sum = ofRegistry == null ? null : ofRegistry.get(identity);
      if (ofRegistry == null || sum == null) {
        return;
      }
      sum.change(parts -> parts.removeIf(part -> part.isOf(measured)));
      if (sum.isEmpty() && sum.gauge != null) {
        registry.remove(sum.gauge);
        ofRegistry.remove(identity);
      }
    }
  }

  private void change(Consumer<List<Part<?>>> change) {
    synchronized (parts) {
      parts.removeIf(part -> part.isOf(null));
      change.accept(parts);
    }
  }

  private boolean isEmpty() {
    synchronized (parts) {
      return parts.isEmpty();
    }
  }

  private double value() {
    List<Part<?>> now;
    synchronized (parts) {
      now = List.copyOf(parts);
    }
    return now.stream().mapToDouble(Part::value).sum();
  }
}
