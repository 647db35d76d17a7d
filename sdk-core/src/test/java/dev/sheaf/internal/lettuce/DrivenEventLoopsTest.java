// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said where threads cannot drive. */
class DrivenEventLoopsTest {

  private static final Logger LOGGER = Logger.getLogger("dev.sheaf.io");

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord logged) {
          if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
            warnings.add(new SimpleFormatter().formatMessage(logged));
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private static final class OwnEventLoops extends DefaultEventLoopGroupProvider {

    OwnEventLoops() {
      super(2);
    }
  }

  @BeforeEach
  void listen() {
    LOGGER.addHandler(handler);
  }

  @AfterEach
  void leave() {
    LOGGER.removeHandler(handler);
  }

  @Test
  void ownEventLoops_areNamedOnce() {
    OwnEventLoops own = new OwnEventLoops();
    ClientResources resources = ClientResources.builder().eventLoopGroupProvider(own).build();
    try {
      use(resources);
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
      own.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("park instead of driving", OwnEventLoops.class.getName());
  }

  @Test
  void eventLoopsOfLettuce_areNoReasonToWarn() {
    ClientResources resources = ClientResources.create();
    try {
      use(resources);
    } finally {
      resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
    assertThat(warnings).isEmpty();
  }

  /** With the connections of the guard and of large values, too. */
  private static void use(ClientResources resources) {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(List.of(RedisURI.create(server.uri())))
                .clientResources(resources)
                .connect()) {
      sheaf.sync().set("key", "value");
      assertThat(sheaf.bulk().sync().get("key")).isEqualTo("value");
      assertThat(sheaf.availability().isAvailable()).isTrue();
    }
  }
}
