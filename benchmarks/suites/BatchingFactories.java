// SPDX-License-Identifier: Apache-2.0
package org.springframework.data.redis.connection.lettuce.extension;

import dev.sheaf.spring.connection.BatchingConnectionFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes the connection factories of Spring Data's tests: batching ones if the system property
 * "batching" is set. As a bean, it replaces factories before they are initialized.
 */
public final class BatchingFactories implements BeanPostProcessor {

  public static LettuceConnectionFactory of(LettuceConnectionFactory factory) {
    return Boolean.getBoolean("batching")
        ? BatchingConnectionFactory.like(
            factory,
            "redis",
            options -> options,
            reason -> {
              throw new IllegalStateException(reason);
            })
        : factory;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String name) {
    return bean.getClass() == LettuceConnectionFactory.class
        ? of((LettuceConnectionFactory) bean)
        : bean;
  }
}
