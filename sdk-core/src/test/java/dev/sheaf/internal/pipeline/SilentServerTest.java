// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that stops reading, played by a proxy that passes nothing on. */
@Timeout(180)
class SilentServerTest {

  @Test
  void memoryStaysWithinTheLimits_callersAreTold_andWorkGoesOn() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy =
            LatencyProxy.builder()
                .target("127.0.0.1", server.port())
                .maxBytesInFlight(1 << 16)
                .start()) {
      new SilentServer(
              "redis://127.0.0.1:" + proxy.port(),
              () -> proxy.pauseToServer(true),
              () -> proxy.pauseToServer(false))
          .endure();
    }
  }
}
