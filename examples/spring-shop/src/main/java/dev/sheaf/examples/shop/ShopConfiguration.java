// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.spring.SheafOperations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The beans of the shop. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ShopProperties.class)
class ShopConfiguration {

  @Bean
  RedisTemplate<String, Product> products(LettuceConnectionFactory connections) {
    return PlainRedis.template(connections);
  }

  @Bean
  SheafOperations<String, Product> productOperations(RedisTemplate<String, Product> products) {
    return SheafOperations.over(products);
  }

  @Bean
  WebMvcConfigurer limitedPages(RateLimit rateLimit) {
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(rateLimit).addPathPatterns("/");
      }
    };
  }
}
