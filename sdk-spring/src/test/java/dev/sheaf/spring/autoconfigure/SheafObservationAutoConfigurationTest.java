// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.observe.CommandMeters;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Who times observed commands. */
class SheafObservationAutoConfigurationTest {

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  MetricsAutoConfiguration.class,
                  CompositeMeterRegistryAutoConfiguration.class,
                  SimpleMetricsExportAutoConfiguration.class,
                  SheafObservationAutoConfiguration.class));

  @Test
  void sheafsHandler_standsBeforeSpringBoots() {
    application.run(
        context ->
            assertThat(context.getBeanProvider(MeterObservationHandler.class).orderedStream())
                .hasExactlyElementsOfTypes(
                    CommandMeters.class, DefaultMeterObservationHandler.class));
  }

  @Test
  void handlerOfTheApplication_keepsCommands() {
    application
        .withBean(Own.class)
        .run(context -> assertThat(context).doesNotHaveBean(CommandMeters.class));
  }

  @Test
  void sheafThatIsOff_timesNothing() {
    application
        .withPropertyValues("sheaf.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(CommandMeters.class));
  }

  /** A handler of the application. */
  static final class Own implements MeterObservationHandler<Observation.Context> {}
}
