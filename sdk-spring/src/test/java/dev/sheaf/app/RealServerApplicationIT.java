// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.junit.jupiter.api.AfterAll;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The application with the starter on a redis-server. */
@SpringBootTest(classes = ShopApplication.class)
@DirtiesContext
class RealServerApplicationIT extends ApplicationContract {

  private static RedisServer server;

  @DynamicPropertySource
  static void server(DynamicPropertyRegistry registry) throws Exception {
    server = RedisServer.startOrSkip();
    registry.add("spring.data.redis.url", server::uri);
  }

  @AfterAll
  static void stop() {
    server.close();
  }
}
