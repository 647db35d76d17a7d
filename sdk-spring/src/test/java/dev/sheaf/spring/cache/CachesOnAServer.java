// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with Spring's caches on a server that ends with each test. */
abstract class CachesOnAServer {

  EmbeddedServer server;

  @BeforeEach
  void start() {
    server = EmbeddedServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withPropertyValues("spring.data.redis.url=" + server.uri())
        .withConfiguration(
            AutoConfigurations.of(
                SheafAutoConfiguration.class,
                SheafCacheAutoConfiguration.class,
                DataRedisAutoConfiguration.class,
                CacheAutoConfiguration.class));
  }
}
