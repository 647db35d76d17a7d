// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import java.util.Objects;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.stereotype.Component;

/**
 * The same Redis through the connections of Spring Data alone, for comparison. Applications do not
 * need this. Its connection factory is not a bean, because the starter would make it batch.
 */
@Component
class PlainRedis implements DisposableBean {

  private final LettuceConnectionFactory connections;
  private final RedisTemplate<String, Product> products;

  PlainRedis(LettuceConnectionFactory configured) {
    connections =
        new LettuceConnectionFactory(placeOf(configured), configured.getClientConfiguration());
    connections.afterPropertiesSet();
    connections.start();
    products = template(connections);
  }

  private static RedisConfiguration placeOf(LettuceConnectionFactory configured) {
    if (configured.isClusterAware()) {
      return Objects.requireNonNull(configured.getClusterConfiguration());
    }
    return configured.isRedisSentinelAware()
        ? Objects.requireNonNull(configured.getSentinelConfiguration())
        : configured.getStandaloneConfiguration();
  }

  /** Creates a template as {@link ShopConfiguration#products} does. */
  static RedisTemplate<String, Product> template(LettuceConnectionFactory connections) {
    RedisTemplate<String, Product> template = new RedisTemplate<>();
    template.setConnectionFactory(connections);
    template.setKeySerializer(RedisSerializer.string());
    template.setValueSerializer(new JacksonJsonRedisSerializer<>(Product.class));
    template.afterPropertiesSet();
    return template;
  }

  RedisTemplate<String, Product> products() {
    return products;
  }

  @Override
  public void destroy() {
    connections.destroy();
  }
}
