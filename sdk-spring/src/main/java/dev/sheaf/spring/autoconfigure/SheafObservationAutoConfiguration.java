// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.internal.observe.CommandMeters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Records timers of observed commands as Spring Boot's own handler does, at a lower cost. */
@AutoConfiguration(after = CompositeMeterRegistryAutoConfiguration.class)
@ConditionalOnClass({DefaultMeterObservationHandler.class, MetricsAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "sheaf.enabled", matchIfMissing = true)
public final class SheafObservationAutoConfiguration {

  /**
   * Ordered before Spring Boot's handler, because the first one that supports an observation gets
   * it. An application's own handler keeps precedence, also for commands.
   */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE - 1)
  @ConditionalOnBean({
    DefaultMeterObservationHandler.class,
    MeterRegistry.class,
    MetricsProperties.class
  })
  @ConditionalOnSingleCandidate(MeterObservationHandler.class)
  CommandMeters sheafCommandMeters(MeterRegistry registry, MetricsProperties properties) {
    return new CommandMeters(
        registry, properties.getObservations().getIgnoredMeters().toArray(new IgnoredMeters[0]));
  }
}
