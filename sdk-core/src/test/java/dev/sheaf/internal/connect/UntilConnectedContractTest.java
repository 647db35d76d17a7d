// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.BulkLane;
import dev.sheaf.QueueFullException;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Commands keep their order while the connection to their node is being opened. */
@Timeout(180)
class UntilConnectedContractTest {

  private static final String OPENING =
      "(M?GET|SET) was not answered by [^ ]+:[0-9]+ within 200 ms \\(no connection\\): the connection is"
          + " still being opened \\(commands that wait for it: [12]\\); commandTimeout sets the limit";

  private final Opening opening = new Opening();
  private final ClientResources resources =
      ClientResources.builder().ioThreadPoolSize(2).nettyCustomizer(opening).build();

  private final ExecutorService threads = Executors.newCachedThreadPool();

  private static double timeouts(MeterRegistry meters) {
    return meters.get("sheaf.timeouts").tag("stage", "no-connection").counter().count();
  }

  private List<Future<?>> start(int callers, Callable<?> caller) {
    List<Future<?>> started = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      started.add(threads.submit(caller));
    }
    return started;
  }

  @AfterEach
  void shutDown() throws Exception {
    threads.shutdownNow();
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
        assertThat(reads.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("value" + i);
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
            .batching(
                BatchingOptions.builder().maxQueuedCommands(limit).maxQueuedBytes(1 << 20).build())
            .connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.holdUp();
      List<RedisFuture<Long>> counts = new ArrayList<>();
      for (int i = 0; i < limit; i++) {
        counts.add(lane.async().incr("count"));
      }
      RedisFuture<Long> tooMany = lane.async().incr("count");
      assertThatThrownBy(() -> tooMany.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(QueueFullException.class)
          .hasMessageContaining("maxQueuedCommands=" + limit);
      opening.goOn();
      for (int i = 0; i < limit; i++) {
        assertThat(counts.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
      }
      assertThat(lane.async().incr("count").get(60, TimeUnit.SECONDS)).isEqualTo(limit + 1);
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void tooManyBytesForANodeThatIsNotConnected_failWithTheLimitsName(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .clientResources(resources)
            .batching(
                BatchingOptions.builder().maxQueuedCommands(1_000).maxQueuedBytes(4_000).build())
            .connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.holdUp();
      RedisFuture<String> fits = lane.async().set("key", "x".repeat(3_900));
      RedisFuture<String> tooMany = lane.async().set("key", "y".repeat(3_900));
      assertThatThrownBy(() -> tooMany.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(QueueFullException.class)
          .hasMessageContaining("maxQueuedBytes=4000");
      opening.goOn();
      assertThat(fits.get(60, TimeUnit.SECONDS)).isEqualTo("OK");
      assertThat(lane.async().get("key").get(60, TimeUnit.SECONDS)).startsWith("x");
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void blockingCallersThatFindTooMany_waitForRoom(ServerUnderTest server) throws Exception {
    int callersAtOnce = 8;
    int calls = 50;
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .clientResources(resources)
            .batching(
                BatchingOptions.builder().maxQueuedCommands(2).maxQueuedBytes(1 << 20).build())
            .connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.holdUp();
      List<Future<?>> callers =
          start(
              callersAtOnce,
              () -> {
                for (int i = 0; i < calls; i++) {
                  lane.sync().incr("count");
                }
                return null;
              });
      opening.goOn();
      for (Future<?> caller : callers) {
        caller.get();
      }
      assertThat(lane.sync().get("count")).isEqualTo("" + callersAtOnce * calls);
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void theTimeBeforeANodeIsConnected_countsAsTheCommands(ServerUnderTest server) throws Exception {
    MeterRegistry meters = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .clientResources(resources)
            .meterRegistry(meters)
            .commandTimeout(Duration.ofMillis(200))
            .batching(
                BatchingOptions.builder().maxQueuedCommands(2).maxQueuedBytes(1 << 20).build())
            .connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.holdUp();
      RedisFuture<String> late = lane.async().set("key", "value");
      assertThatThrownBy(() -> lane.sync().get("key"))
          .isInstanceOf(RedisCommandTimeoutException.class)
          .hasMessageMatching(OPENING);
      assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(RedisCommandTimeoutException.class)
          .hasMessageMatching(OPENING);
      // The count follows the end of a command.
      Await.until("the count", Duration.ofSeconds(60), () -> timeouts(meters) >= 2);
      assertThat(timeouts(meters)).isEqualTo(2);
      assertThatThrownBy(() -> lane.sync().mget("key", "other"))
          .isInstanceOf(RedisCommandTimeoutException.class)
          .hasMessageMatching(OPENING);
      Await.until("the count", Duration.ofSeconds(60), () -> timeouts(meters) >= 4);
      assertThat(timeouts(meters)).isEqualTo(4);
      for (int i = 0; i < 2; i++) {
        RedisFuture<String> inTheRoomOfThose = lane.async().get("key");
        assertThatThrownBy(() -> inTheRoomOfThose.get(60, TimeUnit.SECONDS))
            .cause()
            .isInstanceOf(RedisCommandTimeoutException.class);
      }
      opening.goOn();
      Await.until(
          "the node to answer", Duration.ofSeconds(60), () -> sheaf.sync().get("key") == null);
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void aNodeThatCannotBeConnected_failsWhatWaitsAndIsTriedAgain(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).clientResources(resources).connect()) {
      BulkLane<String, String> lane = sheaf.bulk();
      opening.fail();
      List<RedisFuture<Long>> refused = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        refused.add(lane.async().incr("count"));
      }
      for (RedisFuture<Long> each : refused) {
        assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
            .cause()
            .isInstanceOf(RedisConnectionException.class)
            .hasStackTraceContaining("this socket shall not be opened");
      }
      opening.goOn();
      List<RedisFuture<Long>> counts = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        counts.add(lane.async().incr("count"));
      }
      for (int i = 0; i < counts.size(); i++) {
        assertThat(counts.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
      }
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void whatWaitsWhenTheClientIsClosed_fails(ServerUnderTest server) throws Exception {
    Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).clientResources(resources).connect();
    BulkLane<String, String> lane = sheaf.bulk();
    opening.holdUp();
    RedisFuture<Long> count = lane.async().incr("count");
    Future<?> closed = threads.submit(sheaf::close);
    try {
      assertThatThrownBy(() -> count.get(60, TimeUnit.SECONDS))
          .cause()
          .hasMessageContaining("closed");
    } finally {
      opening.goOn();
    }
    closed.get(60, TimeUnit.SECONDS);
  }

  /** Holds up the opening of sockets, or has it fail. */
  private static final class Opening implements NettyCustomizer {

    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile boolean failing;

    void fail() {
      failing = true;
    }

    void holdUp() {
      held = new CountDownLatch(1);
    }

    void goOn() {
      failing = false;
      held.countDown();
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
      if (failing) {
        channel.pipeline().addFirst(new NoWay());
        return;
      }
      try {
        assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static final class NoWay extends ChannelOutboundHandlerAdapter {

    @Override
    public void connect(
        ChannelHandlerContext context,
        SocketAddress remote,
        SocketAddress local,
        ChannelPromise promise) {
      promise.setFailure(new ConnectException("this socket shall not be opened"));
    }
  }
}
