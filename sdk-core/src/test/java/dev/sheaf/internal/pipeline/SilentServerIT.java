// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.testkit.RealRedis;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A redis-server that is halted (SIGSTOP), so that its socket fills up and takes no more. */
@Timeout(180)
class SilentServerIT {

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void memoryStaysWithinTheLimits_callersAreTold_andWorkGoesOn() throws Exception {
    try (RealRedis server = RealRedis.start()) {
      new SilentServer(server.uri(), server::pause, server::resume).endure();
    }
  }
}
