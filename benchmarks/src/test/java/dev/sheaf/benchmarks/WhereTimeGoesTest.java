package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WhereTimeGoesTest {

  @Test
  void run_everyWorkloadOnRedisServer_repliesAreAsLongAsExpected() {
    assumeTrue(RedisProcess.isInstalled(), "skipped: redis-server is not on the PATH");

    try (MeasuredServer server = MeasuredServer.redis(List.of())) {
      everyWorkload(server);
    }
  }

  @Test
  void run_everyWorkloadOnEmbeddedServer_repliesAreAsLongAsExpected() {
    try (MeasuredServer server = MeasuredServer.embedded()) {
      everyWorkload(server);
    }
  }

  private static void everyWorkload(MeasuredServer server) {
    for (MeasuredServer.Transport transport : MeasuredServer.Transport.values()) {
      try (RawLoad load = server.connect(transport)) {
        load.store();
        for (Workload workload : Workload.values()) {
          assertThat(load.run(2, workload, 3))
              .isEqualTo(2L * RawLoad.CONNECTIONS * 3 * workload.keys());
        }
      }
    }
    assertThat(ProcessCpu.of(server.pid()).user()).isNotNegative();
  }
}
