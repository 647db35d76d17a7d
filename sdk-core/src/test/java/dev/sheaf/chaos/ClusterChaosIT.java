package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.chaos.ChaosChecker.Findings;
import dev.sheaf.testkit.RealRedis;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The chaos on the servers of this machine, for 20 seconds, or for as long as {@code -Dchaos=10m}
 * says. {@code -Dredis.server.path} names servers other than those on the PATH.
 */
@Tag("slow")
class ClusterChaosIT {

  @Test
  void nothingIsLostDoubledOrMixedUp() throws Exception {
    RealRedis.require();
    Duration time = Duration.parse("PT" + System.getProperty("chaos", "20s"));
    ClusterChaos chaos =
        new ClusterChaos(uri -> ChaosClient.sheaf(uri, ClusterChaos.TIMEOUT, true));
    Findings findings = chaos.run(time);
    System.out.println(time + ": " + findings.summary() + "; faults " + chaos.faults());
    assertThat(findings.calls()).isGreaterThan(1_000);
    assertThat(findings.violations).as(findings.summary()).hasValue(0);
  }
}
