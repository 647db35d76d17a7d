// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SummedGaugeTest {

  private static final Tags TAGS = Tags.of("client", "shop");

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private void add(AtomicInteger measured, Tags tags) {
    SummedGauge.add(registry, "fruit", "Fruit", "pieces", tags, measured, AtomicInteger::get);
  }

  private double shown(Tags tags) {
    return registry.get("fruit").tags(tags).gauge().value();
  }

  @Test
  void clientsOfOneName_areSummedUntilTheLastGoes() {
    AtomicInteger first = new AtomicInteger(3);
    AtomicInteger second = new AtomicInteger(4);
    AtomicInteger other = new AtomicInteger(100);
    add(first, TAGS);
    add(second, TAGS);
    add(other, Tags.of("client", "other"));
    assertThat(shown(TAGS)).isEqualTo(7);

    SummedGauge.remove(registry, "fruit", TAGS, first);
    SummedGauge.remove(registry, "fruit", TAGS, first);
    assertThat(shown(TAGS)).isEqualTo(4);

    SummedGauge.remove(registry, "fruit", TAGS, second);
    assertThat(registry.find("fruit").tags(TAGS).gauge()).isNull();
    assertThat(shown(Tags.of("client", "other"))).isEqualTo(100);

    add(first, TAGS);
    assertThat(shown(TAGS)).isEqualTo(3);
  }

  @Test
  void otherRegistries_haveGaugesOfTheirOwn() {
    MeterRegistry another = new SimpleMeterRegistry();
    AtomicInteger measured = new AtomicInteger(5);
    add(measured, TAGS);
    SummedGauge.add(another, "fruit", "Fruit", null, TAGS, measured, value -> 1);
    assertThat(shown(TAGS)).isEqualTo(5);
    assertThat(another.get("fruit").gauge().value()).isEqualTo(1);
    SummedGauge.remove(registry, "fruit", TAGS, measured);
    assertThat(another.get("fruit").gauge().value()).isEqualTo(1);
  }
}
