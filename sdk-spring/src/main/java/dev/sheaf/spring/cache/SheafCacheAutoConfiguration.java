// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import dev.sheaf.spring.autoconfigure.BatchingFactories;
import dev.sheaf.spring.autoconfigure.InvalidSheafPropertyException;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import dev.sheaf.spring.autoconfigure.SheafProperties;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Lets Spring's caches continue without a slow or unavailable Redis. */
@AutoConfiguration(after = {SheafAutoConfiguration.class, CacheAutoConfiguration.class})
@ConditionalOnClass({CacheManager.class, RedisCacheManagerBuilderCustomizer.class})
@ConditionalOnBean(BatchingFactories.class)
public final class SheafCacheAutoConfiguration {

  /** Runs first, so that a writer of the application replaces it. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  @ConditionalOnBooleanProperty(name = "sheaf.cache.guarded", matchIfMissing = true)
  RedisCacheManagerBuilderCustomizer sheafCacheWriter(
      ObjectProvider<RedisConnectionFactory> connectionFactory,
      SheafProperties properties,
      ObjectProvider<CacheValues> values) {
    return builder -> {
      if (connectionFactory.getObject() instanceof BatchingConnectionFactory batching) {
        builder.cacheWriter(writer(batching, properties, values.getObject()));
      }
    };
  }

  /** Runs last, so that it sees the configuration of the application's customizers. */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  @ConditionalOnBooleanProperty(name = "sheaf.cache.guarded", matchIfMissing = true)
  RedisCacheManagerBuilderCustomizer sheafCacheValuesCustomizer(
      ObjectProvider<RedisConnectionFactory> connectionFactory,
      ObjectProvider<CacheValues> values) {
    return builder -> {
      if (connectionFactory.getObject() instanceof BatchingConnectionFactory) {
        values.getObject().readFor(builder);
      }
    };
  }

  @Bean
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  CacheValues sheafCacheValues(
      RedisConnectionFactory connectionFactory,
      ObjectProvider<MeterRegistry> meterRegistry,
      SheafProperties properties) {
    return new CacheValues(
        properties.metrics().enabled() ? meterRegistry.getIfUnique() : null,
        connectionFactory instanceof BatchingConnectionFactory batching ? batching.name() : "");
  }

  private static GuardedCacheWriter writer(
      RedisConnectionFactory connectionFactory, SheafProperties properties, CacheValues values) {
    SheafProperties.Cache cache = properties.cache();
    return new GuardedCacheWriter(
        new GuardedRedis(connectionFactory, positive("read-timeout", cache.readTimeout())),
        RedisCacheWriter.nonLockingRedisCacheWriter(
            connectionFactory, new ScanAndUnlink(connectionFactory)),
        cache.readTimeout(),
        new CacheLoads(positive("load-timeout", cache.loadTimeout())),
        values);
  }

  private static Duration positive(String property, Duration given) {
    if (given.isNegative() || given.isZero()) {
      throw new InvalidSheafPropertyException(
          "sheaf.cache." + property,
          "must be longer than zero, but was " + given,
          "Set sheaf.cache." + property + " to a longer time, or leave it out.",
          new IllegalArgumentException(given.toString()));
    }
    return given;
  }

  /** Reads and writes many keys at once, where a cache manager uses Redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnBean(RedisCacheManager.class)
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  @Import(ProxyCreator.class)
  static final class ManyKeys {

    @Bean
    @ConditionalOnMissingBean
    SheafCaches sheafCaches(
        RedisCacheManager manager,
        RedisConnectionFactory connectionFactory,
        SheafProperties properties,
        CacheValues values) {
      return new SheafCaches(manager, writer(connectionFactory, properties, values));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor sheafCacheableAllAdvisor(ObjectProvider<SheafCaches> caches) {
      CacheableAllMethods methods = new CacheableAllMethods();
      return new DefaultPointcutAdvisor(methods, new CacheableAllInterceptor(methods, caches));
    }
  }

  /**
   * Has beans proxied as {@code @EnableCaching} does, in case the caches were created without it.
   */
  static final class ProxyCreator implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }
}
