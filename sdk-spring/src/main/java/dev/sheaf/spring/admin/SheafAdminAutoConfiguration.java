// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.inspector.InspectionLimits;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Configures the endpoints of stored values and of the admin page, if the application opens them.
 */
@AutoConfiguration(after = SheafAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "sheaf.enabled", matchIfMissing = true)
@ConditionalOnClass({ConditionalOnAvailableEndpoint.class, WebEndpointProperties.class})
public final class SheafAdminAutoConfiguration {

  /** The longest time-out: 1 minute. A thread of the web server waits meanwhile. */
  private static final long MAX_TIMEOUT_MILLIS = 60_000;

  private static Duration timeout(SheafAdminProperties properties) {
    return Duration.ofMillis(
        checked("timeout", properties.timeout().toMillis(), MAX_TIMEOUT_MILLIS));
  }

  private static long checked(String name, long value, long max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(
          "sheaf.admin." + name + " must be from 1 to " + max + ", but was " + value);
    }
    return value;
  }

  /** Starts no threads before its first use. */
  @Bean
  ClientState sheafClientState() {
    return new ClientState();
  }

  /** The endpoint of stored values. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnAvailableEndpoint(
      endpoint = SheafValueEndpoint.class,
      exposure = EndpointExposure.WEB)
  @EnableConfigurationProperties(SheafAdminProperties.class)
  static class Values {

    /** The largest value size: 256 MiB. A value is held several times while it is shown. */
    private static final long MAX_VALUE_BYTES = 256L << 20;

    /** The most elements to show: 10,000. */
    private static final long MAX_ELEMENTS = 10_000;

    /** The most concurrent reads: 64. An administrator's page has few users. */
    private static final long MAX_THREADS = 64;

    @Bean
    @ConditionalOnMissingBean
    SheafValueEndpoint sheafValueEndpoint(
        ObjectProvider<Sheaf<?, ?>> clients,
        SheafAdminProperties properties,
        ValueReader sheafValueReader,
        ClientState sheafClientState,
        ApplicationEventPublisher events) {
      return new SheafValueEndpoint(
          clients, properties, sheafValueReader, sheafClientState, new ReadAudit(events));
    }

    @Bean
    ValueReader sheafValueReader(SheafAdminProperties properties) {
      return new ValueReader(
          limits(properties),
          timeout(properties),
          (int) checked("max-concurrent-reads", properties.maxConcurrentReads(), MAX_THREADS));
    }

    private static InspectionLimits limits(SheafAdminProperties properties) {
      long bytes = properties.maxValueSize().toBytes();
      int maxBytes = (int) checked("max-value-size", bytes, MAX_VALUE_BYTES);
      int maxElements = (int) checked("max-elements", properties.maxElements(), MAX_ELEMENTS);
      return new InspectionLimits(maxBytes, maxBytes, maxBytes, maxElements);
    }
  }

  /** The endpoint of the page. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnAvailableEndpoint(
      endpoint = SheafPageEndpoint.class,
      exposure = EndpointExposure.WEB)
  @EnableConfigurationProperties(SheafAdminProperties.class)
  static class Page {

    @Bean
    DictionariesReader sheafDictionariesReader(
        ObjectProvider<Sheaf<?, ?>> clients, SheafAdminProperties properties) {
      return new DictionariesReader(clients, timeout(properties));
    }

    @Bean
    @ConditionalOnMissingBean
    SheafPageEndpoint sheafPageEndpoint(
        ObjectProvider<Sheaf<?, ?>> clients,
        ObjectProvider<MeterRegistry> registries,
        ClientState sheafClientState,
        DictionariesReader sheafDictionariesReader,
        WebEndpointProperties endpoints,
        Environment environment) {
      AdminPaths paths = AdminPaths.of(endpoints);
      String application = environment.getProperty("spring.application.name", "");
      return new SheafPageEndpoint(
          new PageFiles(paths.page(), paths.values(), application),
          new FiguresReader(clients, registries, sheafClientState),
          sheafDictionariesReader);
    }
  }
}
