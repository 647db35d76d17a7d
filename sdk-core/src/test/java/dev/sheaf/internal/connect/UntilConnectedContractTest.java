package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.BulkLane;
import dev.sheaf.QueueFullException;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Commands keep their order while the connection to their node is being opened. */
@Timeout(60)
class UntilConnectedContractTest {

  private final Opening opening = new Opening();
  private final ClientResources resources =
      ClientResources.builder().ioThreadPoolSize(2).nettyCustomizer(opening).build();

  @AfterEach
  void shutDown() throws Exception {
    resources.shutdown(0, 1, TimeUnit.SECONDS).get();
  }

  @ForEachServer(on = Topology.CLUSTER)
  void commandsBeforeAndWhileANodeIsConnected_keepTheirOrder(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).clientResources(resources).connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.holdUp();
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        lane.async().set("key", "value" + i);
        reads.add(lane.async().get("key"));
        if (i == 200) {
          opening.goOn();
        }
      }
      for (int i = 0; i < reads.size(); i++) {
        assertThat(reads.get(i).get(20, TimeUnit.SECONDS)).isEqualTo("value" + i);
      }
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void tooManyForANodeThatIsNotConnected_failWithTheLimitsName(ServerUnderTest server)
      throws Exception {
    int limit = 10;
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .clientResources(resources)
            .batching(BatchingOptions.defaults().withMaxQueued(limit, 1 << 20))
            .connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.holdUp();
      List<RedisFuture<Long>> counts = new ArrayList<>();
      for (int i = 0; i < limit; i++) {
        counts.add(lane.async().incr("count"));
      }
      RedisFuture<Long> tooMany = lane.async().incr("count");
      assertThatThrownBy(() -> tooMany.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(QueueFullException.class)
          .hasMessageContaining("maxQueuedCommands=" + limit);
      opening.goOn();
      for (int i = 0; i < limit; i++) {
        assertThat(counts.get(i).get(20, TimeUnit.SECONDS)).isEqualTo(i + 1);
      }
      assertThat(lane.async().incr("count").get(20, TimeUnit.SECONDS)).isEqualTo(limit + 1);
    }
  }

  /** Holds up the opening of sockets. */
  private static final class Opening implements NettyCustomizer {

    private volatile CountDownLatch held = new CountDownLatch(0);

    void holdUp() {
      held = new CountDownLatch(1);
    }

    void goOn() {
      held.countDown();
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
      try {
        assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
