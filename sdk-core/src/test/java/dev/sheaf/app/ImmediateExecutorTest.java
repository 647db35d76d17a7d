// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Resources whose executor runs each task on the submitting thread, as applications of Reactor
 * choose it. It schedules nothing.
 */
class ImmediateExecutorTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void executorWithoutThreads_works() throws Exception {
    ClientResources resources =
        ClientResources.builder().eventExecutorGroup(ImmediateEventExecutor.INSTANCE).build();
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(List.of(RedisURI.create("127.0.0.1", proxy.port())))
                .clientResources(resources)
                .compression(
                    CompressionOptions.builder().dictionaries(DictionaryOptions.defaults()).build())
                .loopDetection(true)
                .connect()) {
      sheaf.sync().set("key", "value");
      for (int i = 0; i < 200; i++) {
        assertThat(sheaf.sync().get("key")).isEqualTo("value");
      }
      assertThat(sheaf.loops()).isNotEmpty();
      assertThat(sheaf.availability().isAvailable("key")).isTrue();
      proxy.pauseToClient(true);
      sheaf.standalone().setTimeout(Duration.ofMillis(1));
      RedisFuture<String> late = sheaf.standalone().async().get("key");
      assertThatThrownBy(() -> sheaf.sync().get("key"))
          .isInstanceOf(RedisCommandTimeoutException.class);
      assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(RedisCommandTimeoutException.class);
      proxy.pauseToClient(false);
      sheaf.standalone().setTimeout(PATIENCE);
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).sync();
    }
  }
}
