// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.testcontainers.containers.GenericContainer;

/** The application with the starter on Valkey in a container, which Spring Boot connects it to. */
@ExtendWith(ContainerApplicationIT.OnlyWithDocker.class)
@SpringBootTest(classes = ShopApplication.class)
@Import(ValkeyContainerApplicationIT.Containers.class)
@DirtiesContext
class ValkeyContainerApplicationIT extends ApplicationContract {

  @TestConfiguration(proxyBeanMethods = false)
  static class Containers {

    @Bean
    @ServiceConnection(name = "redis") // Spring Boot has one kind of connection for both.
    GenericContainer<?> valkey() {
      return ContainerApplicationIT.container("valkey/valkey:8.1");
    }
  }
}
