// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/** The application with the starter on a container, which Spring Boot connects it to. */
@ExtendWith(ContainerApplicationIT.OnlyWithDocker.class)
@SpringBootTest(classes = ShopApplication.class)
@Import(ContainerApplicationIT.Containers.class)
@DirtiesContext
class ContainerApplicationIT extends ApplicationContract {

  private static final int REDIS_PORT = 6379;

  /** Before Spring's own extension, which would start the container. */
  static final class OnlyWithDocker implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
      if (!DockerClientFactory.instance().isDockerAvailable()) {
        RedisServer.skip("sheaf.requireContainers", "no container engine answers");
      }
    }
  }

  @TestConfiguration(proxyBeanMethods = false)
  static class Containers {

    @Bean
    @ServiceConnection(name = "redis") // A generic container does not say what it holds.
    GenericContainer<?> redis() {
      return container("redis:7.0");
    }
  }

  static GenericContainer<?> container(String image) {
    return new GenericContainer<>(image).withExposedPorts(REDIS_PORT);
  }
}
