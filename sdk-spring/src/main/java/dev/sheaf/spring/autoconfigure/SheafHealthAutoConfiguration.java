// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisReactiveHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Replaces Spring Boot's health indicator of Redis, which sends INFO and waits for it, by the state
 * of the availability guard.
 */
@AutoConfiguration(
    after = SheafAutoConfiguration.class,
    before = {
      DataRedisReactiveHealthContributorAutoConfiguration.class,
      DataRedisHealthContributorAutoConfiguration.class
    })
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({BatchingFactories.class, RedisConnectionFactory.class})
@ConditionalOnEnabledHealthIndicator("redis")
@ConditionalOnBooleanProperty(name = "sheaf.availability.health", matchIfMissing = true)
public final class SheafHealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = {"redisHealthIndicator", "redisHealthContributor"})
  HealthContributor redisHealthContributor(
      Map<String, RedisConnectionFactory> factories, SheafProperties properties) {
    Duration timeout = properties.availability().timeout();
    Duration firstTimeout = properties.warmUp().timeout();
    Duration downAfter = properties.availability().healthDownAfter();
    if (downAfter != null && downAfter.isNegative()) {
      throw new InvalidSheafPropertyException(
          "sheaf.availability.health-down-after",
          "must be zero or more, but was " + downAfter,
          "Set sheaf.availability.health-down-after to 5s, or leave it out.",
          new IllegalArgumentException(downAfter.toString()));
    }
    Map<String, AvailabilityHealth> indicators =
        factories.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    each ->
                        new AvailabilityHealth(
                            each.getValue(),
                            timeout,
                            firstTimeout,
                            downAfter,
                            InstantSource.system())));
    return indicators.size() == 1
        ? indicators.values().iterator().next()
        : CompositeHealthContributor.fromMap(indicators);
  }
}
