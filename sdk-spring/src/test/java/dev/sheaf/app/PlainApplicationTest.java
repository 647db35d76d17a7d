// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The application with the starter switched off: what the contract is. */
@SpringBootTest(classes = ShopApplication.class, properties = "sheaf.enabled=false")
class PlainApplicationTest extends ApplicationContract {

  @DynamicPropertySource
  static void server(DynamicPropertyRegistry registry) {
    registry.add("spring.data.redis.url", SharedServer.INSTANCE::uri);
  }
}
