// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.spring.connection.BatchingConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.repository.support.RedisRepositoryFactoryBean;

/**
 * Tells the client which ids {@code findAllById} of a Redis repository is about to read one by one,
 * so that it can learn that loop. The reads of {@code findAll} need no help: their ids come from a
 * set.
 */
final class LearnedRepositories implements BeanPostProcessor {

  private final ObjectProvider<RedisConnectionFactory> factories;

  LearnedRepositories(ObjectProvider<RedisConnectionFactory> factories) {
    this.factories = factories;
  }

  @Override
  public Object postProcessBeforeInitialization(Object bean, String beanName) {
    if (bean instanceof RedisRepositoryFactoryBean<?, ?, ?> repository) {
      MethodInterceptor expecting = this::expecting;
      repository.addRepositoryFactoryCustomizer(
          made ->
              made.addRepositoryProxyPostProcessor((proxy, type) -> proxy.addAdvice(expecting)));
    }
    return bean;
  }

  private @Nullable Object expecting(MethodInvocation call) throws Throwable {
    if (call.getMethod().getName().equals("findAllById")
        && call.getArguments().length == 1
        && call.getArguments()[0] instanceof Iterable<?> ids
        && factories.getIfUnique() instanceof BatchingConnectionFactory batching) {
      List<String> texts = new ArrayList<>();
      ids.forEach(id -> texts.add(String.valueOf(id)));
      batching.expect("findAllById", texts);
    }
    return call.proceed();
  }
}
