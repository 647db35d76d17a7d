// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a closed client leaves of its guard. */
@Timeout(180)
class GuardClosingTest {

  private static final int CLIENTS = 100;

  /** A channel that stays registered keeps the 64 KiB that Lettuce reads into. */
  @Test
  void clientClosedWhileItsGuardConnects_leavesNoChannelRegistered() {
    Set<Channel> channels = ConcurrentHashMap.newKeySet();
    ClientResources resources =
        ClientResources.builder()
            .nettyCustomizer(
                new NettyCustomizer() {
                  @Override
                  public void afterChannelInitialized(Channel channel) {
                    channels.add(channel);
                  }
                })
            .build();
    try (EmbeddedServer server = EmbeddedServer.start()) {
      for (int i = 0; i < CLIENTS; i++) {
        try (Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .clientResources(resources)
                .availability(AvailabilityOptions.defaults())
                .connect()) {
          sheaf.availability();
        }
      }
      Await.until(
          "every channel is unregistered",
          Duration.ofSeconds(10),
          () -> channels.size() >= CLIENTS && channels.stream().noneMatch(Channel::isRegistered));
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
