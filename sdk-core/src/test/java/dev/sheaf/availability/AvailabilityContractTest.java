// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/** The availability guard on servers that are well. */
@Timeout(180)
class AvailabilityContractTest {

  private static final Duration PATIENT = Duration.ofSeconds(10);

  /** For machines that are busy with other things: nothing here is about time. */
  private static final AvailabilityOptions CALM =
      AvailabilityOptions.builder().timeout(Duration.ofSeconds(5)).build();

  private static Sheaf<String, String> connect(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).availability(CALM).connect();
  }

  @ForEachServer
  void availability_isUp_withoutEverWaiting(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      assertThat(sheaf.availability().isAvailable()).isTrue();
      assertThat(sheaf.availability().isAvailable("key")).isTrue();
      assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);
      assertThat(sheaf.availability().nodes()).hasSize(server.isCluster() ? 3 : 1);
      assertThat(sheaf.availability().nodes().values())
          .allMatch(status -> status.state() == AvailabilityState.UP);
      assertThat(sheaf.availability()).isSameAs(sheaf.availability());
    }
  }

  @ForEachServer
  void guardThatStartsLate_answersTheFirstCaller(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Availability<String> patient = sheaf.availability().withTimeout(PATIENT);
      assertThat(patient.isAvailable()).isTrue();
      assertThat(patient.ping()).isPositive();
    }
  }

  @ForEachServer
  void ping_measuresTheRoundTrip(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      assertThat(sheaf.availability().ping()).isPositive();
      assertThat(sheaf.availability().ping("key")).isPositive();
      assertThat(sheaf.availability().pingAsync().get(5, TimeUnit.SECONDS)).isPositive();
      assertThat(sheaf.availability().pingAsync("key").get(5, TimeUnit.SECONDS)).isPositive();
      assertThat(sheaf.availability().status().roundTrip()).isPositive();
    }
  }

  @ForEachServer
  void cancelledPing_harmsNobody(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      List<CompletableFuture<Duration>> pings = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        pings.add(sheaf.availability().pingAsync());
      }
      for (int i = 0; i < 100; i += 2) {
        pings.get(i).cancel(true);
      }
      for (int i = 1; i < 100; i += 2) {
        assertThat(pings.get(i).get(10, TimeUnit.SECONDS)).isPositive();
      }
    }
  }

  @ForEachServer
  void closedClient_isUnavailable_andSaysSo(ServerUnderTest server) {
    Sheaf<String, String> sheaf = connect(server);
    Availability<String> availability = sheaf.availability();
    sheaf.close();
    assertThat(availability.isAvailable()).isFalse();
    assertThatThrownBy(availability::ping)
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("closed");
  }

  @ForEachServer
  void guardOfAClientThatIsClosed_doesNotStart(ServerUnderTest server) {
    Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
    sheaf.close();
    assertThatThrownBy(sheaf::availability)
        .isInstanceOf(SheafException.class)
        .hasMessageContaining("closed");
  }

  @ForEachServer
  void interruptedCaller_isToldSo(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> sheaf.availability().ping())
          .isInstanceOf(RedisCommandInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @ForEachServer
  void callersOnAThreadOfNetty_areNotBlocked(ServerUnderTest server) throws Exception {
    ClientResources resources = ClientResources.create();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).availability(CALM).clientResources(resources).connect()) {
      Availability<String> strict = sheaf.availability().withMaxAge(Duration.ZERO);
      assertThat(resources.eventExecutorGroup().submit(() -> strict.isAvailable()).get()).isTrue();
      assertThatThrownBy(() -> resources.eventExecutorGroup().submit(() -> strict.ping()).get())
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("pingAsync()");
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @ForEachServer
  void badArguments_areNamed(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      Availability<String> availability = sheaf.availability();
      assertThatThrownBy(() -> availability.withMaxAge(Duration.ofMillis(-1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("maxAge")
          .hasMessageContaining("-0.001");
      assertThatThrownBy(() -> availability.withTimeout(Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("timeout");
      assertThatThrownBy(() -> availability.isAvailable(null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> availability.pingAsync(null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> availability.onChange(null))
          .isInstanceOf(NullPointerException.class);
    }
  }

  @ForEachServer
  void meters_showPingsAndNodes_ofThisClient(ServerUnderTest server)
      throws InterruptedException, ExecutionException {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .availability(CALM)
            .meterRegistry(registry)
            .name("shop")
            .connect()) {
      int nodes = server.isCluster() ? 3 : 1;
      sheaf.availability().ping();
      for (int i = 0; i < 10; i++) {
        assertThat(sheaf.availability().isAvailable()).isTrue();
      }
      assertThat(sheaf.availability().withMaxAge(Duration.ZERO).isAvailable()).isTrue();
      assertThat(registry.get("sheaf.availability.nodes").tag("state", "up").gauge().value())
          .isEqualTo(nodes);
      Await.until(
          "the PINGs to be measured",
          PATIENT,
          () ->
              registry.get("sheaf.availability.ping").tag("outcome", "ok").timer().count()
                  >= 2L * nodes);
      assertThat(registry.getMeters())
          .filteredOn(meter -> meter.getId().getName().startsWith("sheaf.availability"))
          .allMatch(meter -> "shop".equals(meter.getId().getTag("client")), "tagged");
    }
    assertThat(registry.find("sheaf.availability.nodes").gauges()).isEmpty();
  }
}
