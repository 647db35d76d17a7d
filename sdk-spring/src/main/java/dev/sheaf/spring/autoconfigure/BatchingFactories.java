// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.spring.connection.BatchingConnectionFactory;
import dev.sheaf.spring.connection.NotBatchingException;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.IdentityHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Replaces each connection factory of the application, Spring Boot's or its own, by a {@link
 * BatchingConnectionFactory} before it starts.
 */
public final class BatchingFactories implements DestructionAwareBeanPostProcessor {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  private final ObjectProvider<SheafProperties> properties;
  private final ObjectProvider<MeterRegistry> meterRegistry;
  private final ObjectProvider<DictionaryOptionsBuilderCustomizer> dictionaries;

  /** By the factory that they replace, which the container destroys. Guarded by itself. */
  private final IdentityHashMap<Object, BatchingConnectionFactory> replacements =
      new IdentityHashMap<>();

  BatchingFactories(
      ObjectProvider<SheafProperties> properties,
      ObjectProvider<MeterRegistry> meterRegistry,
      ObjectProvider<DictionaryOptionsBuilderCustomizer> dictionaries) {
    this.properties = properties;
    this.meterRegistry = meterRegistry;
    this.dictionaries = dictionaries;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String beanName) {
    if (!(bean instanceof RedisConnectionFactory)) {
      return bean;
    }
    if (!(bean instanceof LettuceConnectionFactory factory)) {
      return unchanged(bean, beanName, "it is a " + bean.getClass().getName() + ", not Lettuce's");
    }
    if (bean.getClass() != LettuceConnectionFactory.class) {
      return unchanged(factory, beanName, "it is a " + bean.getClass().getName());
    }
    if (factory.isRunning()) {
      return unchanged(
          factory,
          beanName,
          "it was started by the method that made it; leave afterPropertiesSet() or start() to"
              + " Spring");
    }
    SheafOptions options =
        new SheafOptions(
            properties.getObject(),
            builder -> dictionaries.orderedStream().forEach(each -> each.customize(builder)));
    MeterRegistry registry = meterRegistry.getIfUnique();
    BatchingConnectionFactory batching =
        BatchingConnectionFactory.like(
            factory,
            beanName,
            builder -> options.applyTo(builder, beanName, registry),
            reason -> unchanged(factory, beanName, reason));
    synchronized (replacements) {
      replacements.put(bean, batching);
    }
    return batching;
  }

  /** Keeps a factory unchanged with a warning, or fails the start if batching is required. */
  private Object unchanged(Object factory, String name, String reason) {
    if (properties.getObject().required()) {
      throw new NotBatchingException(name, reason);
    }
    LOG.warn("Connections of {} do not batch: {}", name, reason);
    return factory;
  }

  @Override
  public boolean requiresDestruction(Object bean) {
    synchronized (replacements) {
      return replacements.containsKey(bean);
    }
  }

  @Override
  public void postProcessBeforeDestruction(Object bean, String beanName) {
    BatchingConnectionFactory batching;
    synchronized (replacements) {
      batching = replacements.remove(bean);
    }
    if (batching != null) {
      batching.destroy();
    }
  }
}
