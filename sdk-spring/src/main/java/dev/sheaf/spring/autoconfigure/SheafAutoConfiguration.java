// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.Sheaf;
import dev.sheaf.spring.SheafOperations;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Makes the connections of Spring Data Redis batch, and provides Sheaf's own API as beans. */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnClass(LettuceConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "sheaf.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SheafProperties.class)
public final class SheafAutoConfiguration {

  @Bean
  static BatchingFactories sheafBatchingFactories(
      ObjectProvider<SheafProperties> properties,
      ObjectProvider<MeterRegistry> meterRegistry,
      ObjectProvider<DictionaryOptionsBuilderCustomizer> dictionaries) {
    return new BatchingFactories(properties, meterRegistry, dictionaries);
  }

  @Bean
  static ReloadedSsl sheafReloadedSsl(
      ObjectProvider<DataRedisProperties> properties,
      ObjectProvider<DataRedisConnectionDetails> details,
      ObjectProvider<SslBundles> bundles) {
    return new ReloadedSsl(properties, details, bundles);
  }

  /** The connection factory, which can restart, closes it. */
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  Sheaf<String, String> sheaf(RedisConnectionFactory connectionFactory) {
    return new CurrentSheaf<>(connectionFactory, StringCodec.UTF8);
  }

  /** Of any types, because an application may define its own {@code redisTemplate}. */
  @Bean
  @ConditionalOnMissingBean(name = "sheafOperations")
  @ConditionalOnBean(name = "redisTemplate")
  SheafOperations<?, ?> sheafOperations(
      @Qualifier("redisTemplate") RedisTemplate<?, ?> redisTemplate) {
    return SheafOperations.over(redisTemplate);
  }

  @Bean
  @ConditionalOnMissingBean(name = "stringSheafOperations")
  @ConditionalOnSingleCandidate(StringRedisTemplate.class)
  SheafOperations<String, String> stringSheafOperations(StringRedisTemplate stringRedisTemplate) {
    return SheafOperations.over(stringRedisTemplate);
  }

  @Bean
  @ConditionalOnBooleanProperty(name = "sheaf.warm-up.enabled", matchIfMissing = true)
  WarmUp sheafWarmUp(
      ObjectProvider<RedisConnectionFactory> connectionFactories, SheafProperties properties) {
    return new WarmUp(
        connectionFactories.stream()
            .filter(BatchingConnectionFactory.class::isInstance)
            .map(BatchingConnectionFactory.class::cast)
            .toList(),
        properties.warmUp().timeout());
  }

  /** Tells a client that learns loops what repositories are about to read. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = "org.springframework.data.redis.repository.support.RedisRepositoryFactoryBean")
  @ConditionalOnBooleanProperty(name = "sheaf.loops.learn")
  static class Repositories {

    @Bean
    static LearnedRepositories sheafLearnedRepositories(
        ObjectProvider<RedisConnectionFactory> connectionFactories) {
      return new LearnedRepositories(connectionFactories);
    }
  }
}
