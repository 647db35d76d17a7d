// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.embedded.EmbeddedServer;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts the embedded server, if it is on the class path, for an application that configures no
 * Redis: for development, like an embedded database.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ConditionalOnClass({DataRedisConnectionDetails.class, EmbeddedServer.class})
@ConditionalOnBooleanProperty(name = "sheaf.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "sheaf.embedded.enabled", matchIfMissing = true)
@ConditionalOnMissingBean({
  DataRedisConnectionDetails.class,
  RedisConnectionFactory.class,
  RedisConfiguration.class
})
@Conditional(EmbeddedRedisAutoConfiguration.OnNoRedisConfigured.class)
@EnableConfigurationProperties(SheafProperties.class)
public final class EmbeddedRedisAutoConfiguration {

  @Bean
  EmbeddedRedis sheafEmbeddedRedis(SheafProperties properties, Environment environment) {
    SheafProperties.Embedded embedded = properties.embedded();
    if (!embedded.allowedInProduction()) {
      for (String profile : embedded.refusedProfiles()) {
        if (environment.acceptsProfiles(Profiles.of(profile))) {
          throw new EmbeddedServerRefusedException(profile);
        }
      }
    }
    if (embedded.latency().isNegative()) {
      throw new InvalidSheafPropertyException(
          "sheaf.embedded.latency",
          "must be zero or more, but was " + embedded.latency(),
          "Set sheaf.embedded.latency to 1ms, or leave it out.",
          new IllegalArgumentException(embedded.latency().toString()));
    }
    return EmbeddedRedis.start(embedded.port(), embedded.masters(), embedded.latency());
  }

  /** Matches while no property configures Redis. */
  static final class OnNoRedisConfigured extends SpringBootCondition {

    private static final String PREFIX = "spring.data.redis.";
    private static final List<String> PLACES = List.of("host", "port", "url");
    private static final List<String> GROUPS = List.of("sentinel", "cluster", "masterreplica");

    @Override
    public ConditionOutcome getMatchOutcome(
        ConditionContext context, AnnotatedTypeMetadata metadata) {
      ConditionMessage.Builder message = ConditionMessage.forCondition("Embedded server");
      Binder binder = Binder.get(context.getEnvironment());
      for (String place : PLACES) {
        if (binder.bind(PREFIX + place, Bindable.of(String.class)).isBound()) {
          return ConditionOutcome.noMatch(message.because(PREFIX + place + " is set"));
        }
      }
      for (String group : GROUPS) {
        if (binder.bind(PREFIX + group, Bindable.mapOf(String.class, Object.class)).isBound()) {
          return ConditionOutcome.noMatch(message.because(PREFIX + group + " is set"));
        }
      }
      return ConditionOutcome.match(message.because("no property says where Redis is"));
    }
  }
}
