// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** PINGs that are answered while the data connection has waited for longer than the limit. */
@Timeout(180)
class NodePingsTest {

  private static final AvailabilityOptions OPTIONS =
      AvailabilityOptions.builder()
          .timeout(Duration.ofMillis(10))
          .downAfter(Duration.ofMillis(10))
          .build();

  private final EmbeddedServer server = EmbeddedServer.start();
  private final ClientResources resources = ClientResources.create();
  private final RedisClient client = RedisClient.create(resources);
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final NodeState state = new NodeState(OPTIONS, (before, after) -> {}, () -> {});
  private final ReplyActivity data = new ReplyActivity(watched -> {});
  private final Object flight = new Object();
  private GuardConnection line;
  private NodePings pings;

  @BeforeEach
  void connect() {
    RedisURI uri = RedisURI.create(server.uri());
    WatchSettings settings =
        new WatchSettings(
            OPTIONS,
            resources,
            null,
            Duration.ofSeconds(60),
            Duration.ofSeconds(2),
            (failure, limit) -> String.valueOf(failure.getMessage()),
            null,
            "test");
    GuardContext context =
        new GuardContext(
            settings,
            client,
            (task, nanos) -> tasks.add(task),
            new AvailabilityMeters(null, "test"),
            change -> {},
            () -> {},
            () -> false);
    line =
        new GuardConnection(
            client,
            uri,
            Duration.ofSeconds(60),
            context.timer(),
            new Jitter(Duration.ofSeconds(1)),
            (event, cause) -> {});
    line.open();
    Await.until(
        "the connection",
        Duration.ofSeconds(60),
        () -> {
          runTasks();
          return line.current() != null;
        });
    pings = new NodePings(new NodeSource.Node("only", uri, 16_384), context, line, state);
    data.connected();
    state.attach(data, (event, detail) -> {});
    data.departed(flight, System.nanoTime());
    Await.until("the limit", Duration.ofSeconds(60), () -> state.dataTrouble() != null);
  }

  @AfterEach
  void close() {
    pings.close();
    line.close();
    client.shutdown();
    resources.shutdown(0, 10, TimeUnit.SECONDS).awaitUninterruptibly();
    server.close();
  }

  private void runTasks() {
    List<Runnable> due = new ArrayList<>();
    tasks.drainTo(due);
    due.forEach(Runnable::run);
  }

  private void ping() throws Exception {
    CompletableFuture<Duration> answer = pings.ping(0, Duration.ofSeconds(60));
    assertThat(answer.get(60, TimeUnit.SECONDS)).isPositive();
  }

  /** After a pause of the JVM, any of the two may be read first. */
  @Test
  void answerThatIsReadBeforeTheReplyToData_isNoReasonForDown() throws Exception {
    ping();
    assertThat(state.state()).isEqualTo(AvailabilityState.UP);
    data.arrived(flight, new StatusOutput<>(StringCodec.UTF8));
    runTasks();
    assertThat(state.state()).isEqualTo(AvailabilityState.UP);
  }

  @Test
  void dataThatIsStillNotAnsweredAMomentLater_isDown() throws Exception {
    ping();
    assertThat(state.state()).isEqualTo(AvailabilityState.UP);
    Await.until(
        "the judgement",
        Duration.ofSeconds(60),
        () -> {
          runTasks();
          return state.isDown();
        });
    assertThat(state.status().reason()).contains("the data connection has not for");
  }

  /** Lanes are other sockets. */
  @Test
  void replyOnALane_showsThatTheNodeAnswers_andNotThatTheDataConnectionDoes() throws Exception {
    long before = System.nanoTime() - 1;
    data.arrivedOnLane(new StatusOutput<>(StringCodec.UTF8), before);
    assertThat(state.heardSince(before)).isTrue();
    assertThat(state.dataTrouble()).contains("the data connection has not for");
  }

  @Test
  void lateReplyOnALane_showsNothing() {
    long sent = System.nanoTime() - OPTIONS.timeout().toNanos() - 1;
    data.arrivedOnLane(new StatusOutput<>(StringCodec.UTF8), sent);
    assertThat(state.heardSince(sent)).isFalse();
  }
}
