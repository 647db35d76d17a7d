package dev.sheaf.spring;

import org.springframework.beans.factory.ObjectProvider;
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
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.cache.RedisCacheWriter;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Lets Spring's caches do without a Redis that is slow or lost. */
@AutoConfiguration(after = {SheafAutoConfiguration.class, CacheAutoConfiguration.class})
@ConditionalOnClass({CacheManager.class, RedisCacheManagerBuilderCustomizer.class})
@ConditionalOnBean(BatchingFactories.class)
public final class SheafCacheAutoConfiguration {

  /** First, so that a writer of the application's own takes its place. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  @ConditionalOnBooleanProperty(name = "sheaf.cache.guarded", matchIfMissing = true)
  RedisCacheManagerBuilderCustomizer sheafCacheWriter(
      ObjectProvider<RedisConnectionFactory> connectionFactory, SheafProperties properties) {
    return builder -> {
      if (connectionFactory.getObject() instanceof BatchingConnectionFactory batching) {
        builder.cacheWriter(
            new GuardedCacheWriter(
                new GuardedRedis(batching, properties.getCache().getReadTimeout()),
                RedisCacheWriter.nonLockingRedisCacheWriter(batching),
                properties.getCache().getReadTimeout()));
      }
    };
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(RedisCacheManager.class)
  @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
  SheafCaches sheafCaches(
      RedisCacheManager manager,
      RedisConnectionFactory connectionFactory,
      SheafProperties properties) {
    return new SheafCaches(manager, connectionFactory, properties.getCache().getReadTimeout());
  }
}
