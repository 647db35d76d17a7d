// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server that is ill in one way or the other makes of the state, and of callers. */
@Tag("slow")
@Timeout(180)
class AvailabilityFaultsIT {

  private static final Duration SOON = Duration.ofSeconds(10);

  /** Only what a test causes happens: no PING but those it asks for. */
  private static AvailabilityOptions.Builder unasked() {
    return AvailabilityOptions.builder().interval(Duration.ofHours(1));
  }

  private final List<AutoCloseable> open = new ArrayList<>();
  private RealRedis redis;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @BeforeEach
  void start() {
    redis = closing(RealRedis.start("enable-debug-command yes"));
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  private LatencyProxy proxy() {
    return closing(LatencyProxy.builder().target(redis.host(), redis.port()).start());
  }

  private Sheaf<String, String> connect(String uri, AvailabilityOptions options) {
    Sheaf<String, String> sheaf = closing(Sheaf.builder(uri).availability(options).connect());
    // Again if the answer is late: on a starved machine it may come after downAfter.
    Await.until("an answer to PING", SOON, () -> isAnswered(sheaf));
    return sheaf;
  }

  private static boolean isAnswered(Sheaf<String, String> sheaf) {
    try {
      return sheaf.availability().withTimeout(SOON).ping().compareTo(Duration.ZERO) > 0;
    } catch (UnavailableException e) {
      return false;
    }
  }

  private static String uri(LatencyProxy proxy) {
    return "redis://127.0.0.1:" + proxy.port();
  }

  private static void awaitState(
      Sheaf<?, ?> sheaf, AvailabilityState state, String reason, Duration timeout) {
    Await.until(
        state + " because of " + reason,
        timeout,
        () -> {
          AvailabilityStatus status = sheaf.availability().status();
          return status.state() == state && status.reason().contains(reason);
        },
        () -> "; it is " + sheaf.availability().status());
  }

  private static void awaitUp(Sheaf<?, ?> sheaf) {
    awaitState(sheaf, AvailabilityState.UP, "", SOON);
  }

  private static long pings(RealRedis redis) {
    String stats = (String) redis.command("INFO", "commandstats");
    for (String line : stats.split("\r\n")) {
      if (line.startsWith("cmdstat_ping:calls=")) {
        return Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(',')));
      }
    }
    return 0;
  }

  // ---- Coalescing, counted by the server

  @Test
  @Timeout(400)
  void tenThousandBlockedCallers_costTwoPings() throws Exception {
    LatencyProxy proxy = proxy();
    Sheaf<String, String> sheaf =
        connect(uri(proxy), unasked().timeout(Duration.ofMinutes(10)).build());
    long before = pings(redis);
    proxy.pauseToClient(true);
    Availability<String> availability = sheaf.availability();
    ConcurrentLinkedQueue<Object> outcomes = new ConcurrentLinkedQueue<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Thread caller =
          new Thread(
              null,
              () -> {
                try {
                  outcomes.add(availability.ping());
                } catch (RuntimeException e) {
                  outcomes.add(e);
                }
              },
              "caller",
              64 << 10);
      caller.setDaemon(true);
      caller.start();
      callers.add(caller);
    }
    Await.until(
        "10,000 callers to wait",
        Duration.ofMinutes(5),
        () -> callers.stream().allMatch(caller -> caller.getState() == Thread.State.TIMED_WAITING),
        () ->
            "; they are "
                + callers.stream()
                    .collect(Collectors.groupingBy(Thread::getState, Collectors.counting()))
                + ", and ended with "
                + outcomes.stream().limit(1).toList());
    proxy.pauseToClient(false);
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(outcomes).hasSize(10_000).allMatch(outcome -> outcome instanceof Duration);
    assertThat(pings(redis) - before).isEqualTo(2);
  }

  /** Nothing grows too old here, however slow the machine is. */
  @Test
  void callersWithTraffic_costNoPing() {
    Duration hour = Duration.ofHours(1);
    AvailabilityOptions options =
        AvailabilityOptions.builder().timeout(hour).maxAge(hour).interval(hour).build();
    Sheaf<String, String> sheaf = connect(redis.uri(), options);
    long before = pings(redis);
    for (int i = 0; i < 10_000; i++) {
      if (i % 100 == 0) {
        sheaf.sync().incr("counter");
      }
      assertThat(sheaf.availability().isAvailable()).isTrue();
    }
    assertThat(pings(redis) - before).isZero();
  }

  // ---- The states

  @Test
  void oneSlowAnswer_isNoOutage_twoAre_andAGoodOneEndsIt() {
    // So long that a starved machine does not make a good answer late.
    Duration late = Duration.ofSeconds(1);
    LatencyProxy proxy = proxy();
    AvailabilityOptions options = unasked().timeout(late).downAfter(Duration.ofSeconds(20)).build();
    Sheaf<String, String> sheaf = connect(uri(proxy), options);
    Availability<String> patient = sheaf.availability().withTimeout(SOON);
    patient.ping();
    ConcurrentLinkedQueue<AvailabilityChange> changes = new ConcurrentLinkedQueue<>();
    sheaf.availability().onChange(changes::add);

    proxy.delay(late);
    patient.ping();
    // To ask for the state would have another PING sent if this answer is old already.
    assertThat(changes).isEmpty();
    patient.ping();
    assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.SLOW);
    assertThat(sheaf.availability().isAvailable()).isFalse();

    proxy.delay(Duration.ZERO);
    patient.ping();
    assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);
    assertThat(sheaf.availability().isAvailable()).isTrue();
    Await.until("the changes", SOON, () -> changes.size() == 4);
    assertThat(changes)
        .extracting(change -> (change.node() == null ? "all " : "node ") + change.after().state())
        .containsExactly("node SLOW", "all SLOW", "node UP", "all UP");
  }

  @Test
  void answerThatIsOverdue_isANo_evenBeforeTheNodeIsDown() {
    LatencyProxy proxy = proxy();
    AvailabilityOptions options =
        unasked()
            .timeout(Duration.ofMillis(100))
            .downAfter(Duration.ofSeconds(20))
            .maxAge(Duration.ofHours(1))
            .build();
    Sheaf<String, String> sheaf = connect(uri(proxy), options);
    proxy.pauseToClient(true);
    assertThatThrownBy(() -> sheaf.availability().ping())
        .isInstanceOf(UnavailableException.class)
        .hasMessageMatching(
            "127.0.0.1:\\d+: no answer to PING within 100 ms; AvailabilityOptions.timeout or"
                + " Availability.withTimeout sets the limit");
    Await.until("a no", SOON, () -> !sheaf.availability().isAvailable());
    assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);
    proxy.pauseToClient(false);
    Await.until("a yes", SOON, () -> sheaf.availability().isAvailable());
    assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);
  }

  @Test
  void impatientCallers_doNotDisturbAPatientOne() throws Exception {
    LatencyProxy proxy = proxy();
    Sheaf<String, String> sheaf =
        connect(uri(proxy), unasked().timeout(Duration.ofSeconds(20)).build());
    proxy.pauseToClient(true);
    CompletableFuture<Duration> patient = sheaf.availability().pingAsync();
    CompletableFuture<Duration> impatient =
        sheaf.availability().withTimeout(Duration.ofMillis(50)).pingAsync();
    assertThatThrownBy(() -> impatient.get(10, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(UnavailableException.class)
        .hasMessageMatching(
            "127.0.0.1:\\d+: no answer to PING within 50 ms; AvailabilityOptions.timeout or"
                + " Availability.withTimeout sets the limit");
    assertThat(patient).isNotDone();
    proxy.pauseToClient(false);
    assertThat(patient.get(10, TimeUnit.SECONDS)).isPositive();
  }

  @Test
  void failedPing_failsAllWhoWaitForIt_withOneCause() {
    LatencyProxy proxy = proxy();
    Sheaf<String, String> sheaf = connect(uri(proxy), unasked().timeout(SOON).build());
    proxy.pauseToClient(true);
    long before = pings(redis);
    CompletableFuture<Duration> one = sheaf.availability().pingAsync();
    Await.until("the PING to be sent", SOON, () -> pings(redis) > before);
    proxy.refuse(true);
    proxy.resetConnections();
    assertThatThrownBy(() -> one.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(UnavailableException.class)
        .hasMessageContaining("connection was lost");
    awaitState(sheaf, AvailabilityState.DOWN, "refused", SOON);
    assertThatThrownBy(() -> sheaf.availability().ping())
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("refused");
    proxy.pauseToClient(false);
    proxy.refuse(false);
  }

  @Test
  void loadingServer_isDown_andSaysSo() throws Exception {
    Sheaf<String, String> sheaf = connect(redis.uri(), AvailabilityOptions.defaults());
    for (int i = 0; i < 400; i++) {
      byte[] value = new byte[1024];
      new Random(i).nextBytes(value);
      // Incompressible, because the server looks after its clients once for each KiB it loads.
      sheaf.sync().set("key" + i, Base64.getEncoder().encodeToString(value));
    }
    redis.command("CONFIG", "SET", "key-load-delay", "5000");
    redis.command("CONFIG", "SET", "loading-process-events-interval-bytes", "1024");
    Thread reload =
        new Thread(
            () -> {
              try (RespConnection connection = redis.connect()) {
                connection.call("DEBUG", "RELOAD");
              }
            });
    reload.start();
    awaitState(sheaf, AvailabilityState.DOWN, "LOADING", SOON);
    assertThat(sheaf.availability().isAvailable()).isFalse();
    reload.join();
    awaitUp(sheaf);
  }

  @Test
  void replicaWithoutItsPrimary_isDown_andSaysSo() {
    RealRedis replica =
        closing(
            RealRedis.start(
                "replicaof " + redis.host() + " " + redis.port(),
                "replica-serve-stale-data no",
                "repl-diskless-sync-delay 0"));
    Await.until(
        "the replica to be in step",
        SOON,
        () -> String.valueOf(replica.command("INFO", "replication")).contains("link_status:up"));
    Sheaf<String, String> sheaf = connect(replica.uri(), AvailabilityOptions.defaults());
    redis.kill();
    awaitState(sheaf, AvailabilityState.DOWN, "MASTERDOWN", SOON);
    replica.command("REPLICAOF", "NO", "ONE");
    awaitUp(sheaf);
  }

  @Test
  void primaryThatBecameAReplica_isDown_onceAWriteWasRefused_andUpWhenPromoted() {
    RealRedis other = closing(RealRedis.start());
    Sheaf<String, String> sheaf = connect(redis.uri(), AvailabilityOptions.defaults());
    redis.command("REPLICAOF", other.host(), Integer.toString(other.port()));
    assertThatThrownBy(() -> sheaf.sync().set("key", "value")).hasMessageStartingWith("READONLY");
    awaitState(sheaf, AvailabilityState.DOWN, "READONLY", SOON);
    // Reads work, and are no proof of the contrary.
    assertThat(sheaf.sync().get("key")).isNull();
    assertThat(sheaf.availability().isAvailable()).isFalse();
    redis.command("REPLICAOF", "NO", "ONE");
    awaitUp(sheaf);
  }

  @Test
  void readonlyErrorOfAScript_isNoFaultOfTheNode() {
    Sheaf<String, String> sheaf = connect(redis.uri(), AvailabilityOptions.defaults());
    List<AvailabilityChange> changes = new CopyOnWriteArrayList<>();
    sheaf.availability().onChange(changes::add);
    assertThatThrownBy(
            () ->
                sheaf
                    .sync()
                    .eval(
                        "return redis.error_reply('READONLY says who')",
                        ScriptOutputType.STATUS,
                        "key"))
        .hasMessageContaining("READONLY");
    long before = pings(redis);
    Await.until("a check", SOON, () -> pings(redis) > before);
    sheaf.availability().withTimeout(SOON).ping();
    // A starved machine may find the node slow meanwhile, and say so; not that it is no primary.
    awaitUp(sheaf);
    assertThat(changes).noneMatch(change -> change.after().reason().contains("READONLY"));
  }

  @Test
  void userWithoutTheRightToPing_isAnsweredAllTheSame() {
    redis.command("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-ping");
    String uri = "redis://limited:secret@" + redis.host() + ":" + redis.port();
    Sheaf<String, String> sheaf = connect(uri, AvailabilityOptions.defaults());
    assertThat(sheaf.availability().isAvailable()).isTrue();
  }

  @Test
  void dataConnectionThatDoesNotAnswer_isDown_thoughTheNodeAnswers() {
    Sheaf<String, String> sheaf = connect(redis.uri(), AvailabilityOptions.defaults());
    // A blocking command on the shared connection stands for one that hangs: all behind it wait.
    var blocked = sheaf.async().blpop(60, "queue");
    awaitState(sheaf, AvailabilityState.DOWN, "data connection has not", SOON);
    assertThat(sheaf.availability().isAvailable()).isFalse();
    redis.command("RPUSH", "queue", "item");
    assertThat(blocked.toCompletableFuture()).succeedsWithin(SOON);
    awaitUp(sheaf);
  }

  @Test
  void lostName_isDown_andSaysSo_untilTheNameIsBack() throws Exception {
    AtomicBoolean lost = new AtomicBoolean();
    ClientResources resources =
        ClientResources.builder()
            .addressResolverGroup(
                new AddressResolverGroup<InetSocketAddress>() {
                  @Override
                  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
                    return new Names(executor, lost).asAddressResolver();
                  }
                })
            .build();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder("redis://cache.test:" + redis.port())
            .clientResources(resources)
            .availability(AvailabilityOptions.defaults())
            .connect()) {
      sheaf.availability().withTimeout(SOON).ping();
      lost.set(true);
      assertThat(sheaf.availability().isAvailable())
          .as("an open connection needs no name")
          .isTrue();
      redis.command("CLIENT", "KILL", "TYPE", "normal");
      awaitState(sheaf, AvailabilityState.DOWN, "host name is unknown", SOON);
      lost.set(false);
      awaitUp(sheaf);
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @Test
  void guardWithoutAConnection_believesTheDataConnection() throws Exception {
    // No reply is late or too old, so that a starved machine gives no other reason to say no.
    Sheaf<String, String> sheaf =
        connect(redis.uri(), AvailabilityOptions.builder().timeout(SOON).maxAge(SOON).build());
    Traffic traffic = closing(new Traffic(sheaf));
    try (RespConnection administrator = redis.connect()) {
      String guards =
          administrator
              .text("CLIENT", "LIST")
              .lines()
              .filter(line -> line.contains("cmd=ping"))
              .map(line -> line.substring("id=".length(), line.indexOf(' ')))
              .findFirst()
              .orElseThrow();
      // The data connection and the administrator's leave no room for the guard's.
      administrator.call("CONFIG", "SET", "maxclients", "2");
      long before = rejected(administrator);
      administrator.call("CLIENT", "KILL", "ID", guards);
      Await.until(
          "the guard to be rejected some times, while each answer is yes",
          SOON,
          () -> {
            // Where threads starve, the traffic may pause, and without a reply "no" is true.
            sheaf.sync().incr("counter");
            assertThat(sheaf.availability().isAvailable()).isTrue();
            return rejected(administrator) - before >= 5;
          });
    }
    traffic.close();
  }

  private static long rejected(RespConnection administrator) {
    return administrator
        .text("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("rejected_connections:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  // ---- Listeners, closing

  @Test
  void listenerThatThrows_doesNotStopTheOthers_andEndsWithItsRegistration() {
    // No answer is late, so that a starved machine does not add SLOW to what is told.
    Sheaf<String, String> sheaf =
        connect(redis.uri(), AvailabilityOptions.builder().timeout(SOON).build());
    ConcurrentLinkedQueue<AvailabilityState> first = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<AvailabilityState> second = new ConcurrentLinkedQueue<>();
    sheaf
        .availability()
        .onChange(
            change -> {
              throw new IllegalStateException("a listener's own trouble, provoked by a test");
            });
    Availability.Registration registration =
        sheaf.availability().onChange(change -> first.add(change.after().state()));
    sheaf.availability().onChange(change -> second.add(change.after().state()));
    redis.kill();
    Await.until("both to be told", SOON, () -> first.size() == 2 && second.size() == 2);
    registration.close();
    redis.restart();
    Await.until("the second to be told", SOON, () -> second.size() == 4);
    assertThat(first).containsExactly(AvailabilityState.DOWN, AvailabilityState.DOWN);
    assertThat(second)
        .containsExactly(
            AvailabilityState.DOWN,
            AvailabilityState.DOWN,
            AvailabilityState.UP,
            AvailabilityState.UP);
  }

  @Test
  void closeWhileCallersWait_failsThemAtOnce() throws Exception {
    Sheaf<String, String> sheaf =
        connect(redis.uri(), unasked().timeout(Duration.ofSeconds(100)).build());
    redis.pause();
    List<CompletableFuture<Duration>> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(sheaf.availability().pingAsync());
    }
    sheaf.close();
    for (CompletableFuture<Duration> each : waiting) {
      assertThatThrownBy(() -> each.get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(UnavailableException.class)
          .hasMessageContaining("closed");
    }
    redis.resume();
  }

  @Test
  void guardIsBuiltLate_onADeadServer_saysNo() throws Exception {
    ClientResources resources = DefaultClientResources.create();
    closing(() -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS).get());
    CompletableFuture<Event> reconnectFailed =
        resources.eventBus().get().filter(ReconnectFailedEvent.class::isInstance).next().toFuture();
    Sheaf<String, String> sheaf =
        closing(Sheaf.builder(redis.uri()).clientResources(resources).connect());
    redis.kill();
    // Not DisconnectedEvent: Lettuce tells it before Sheaf hears of the loss.
    reconnectFailed.get(60, TimeUnit.SECONDS);
    assertThat(sheaf.availability().withMaxAge(Duration.ofHours(1)).isAvailable())
        .as("what was heard before the connection was lost does not count")
        .isFalse();
    awaitState(sheaf, AvailabilityState.DOWN, "refused", SOON);
  }

  /** Threads that read all the time, as those of a busy service do. */
  private static final class Traffic implements AutoCloseable {

    private static final int THREADS = 4;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    Traffic(Sheaf<String, String> sheaf) {
      for (int i = 0; i < THREADS; i++) {
        Thread thread =
            new Thread(
                () -> {
                  while (!stop.get()) {
                    sheaf.sync().get("key");
                  }
                });
        thread.start();
        threads.add(thread);
      }
    }

    @Override
    public void close() {
      stop.set(true);
      for (Thread thread : threads) {
        Await.until(thread.getName() + " to end", Duration.ofSeconds(20), () -> !thread.isAlive());
      }
    }
  }

  /** A name service that knows every name, or none. */
  private static final class Names extends InetNameResolver {

    private final AtomicBoolean lost;

    Names(EventExecutor executor, AtomicBoolean lost) {
      super(executor);
      this.lost = lost;
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> promise) {
      if (lost.get()) {
        promise.setFailure(new UnknownHostException(host));
      } else {
        promise.setSuccess(InetAddress.getLoopbackAddress());
      }
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
      promise.setFailure(new UnsupportedOperationException());
    }
  }
}
