// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Observe;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Sockets that were opened on a driven event loop although nothing counts their commands. */
class ChannelInstallerTest {

  private static final int MANY = 1_000;

  @Test
  void socketWithoutAWriter_reservesItsLoopForTheKeeperUntilItIsClosed() throws Exception {
    CompletableFuture<Channel> opened = new CompletableFuture<>();
    ClientResources given =
        ClientResources.builder()
            .nettyCustomizer(
                new NettyCustomizer() {
                  @Override
                  public void afterChannelInitialized(Channel channel) {
                    opened.complete(channel);
                  }
                })
            .build();
    ClientResources resources =
        ChannelInstaller.forResources(given).install(given, Observe.commands());
    try (EmbeddedServer server = EmbeddedServer.start();
        RedisClient client = RedisClient.create(resources, server.uri())) {
      StatefulRedisConnection<String, String> connection = client.connect();
      DrivenEventLoop loop = (DrivenEventLoop) opened.join().eventLoop();
      for (int i = 0; i < MANY; i++) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
        loop.wantDriver();
        boolean driven = loop.tryDrive();
        if (driven) {
          loop.leave();
        }
        assertThat(driven).isFalse();
      }
      connection.close();
      loop.wantDriver();
      Await.until("the loop is free again", Duration.ofSeconds(60), loop::tryDrive);
      loop.leave();
    } finally {
      resources.shutdown().get();
      given.shutdown().get();
    }
  }
}
