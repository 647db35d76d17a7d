// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisReactiveHealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

class SheafHealthAutoConfigurationTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  EmbeddedRedisAutoConfiguration.class,
                  SheafAutoConfiguration.class,
                  SheafHealthAutoConfiguration.class,
                  DataRedisAutoConfiguration.class,
                  DataRedisReactiveAutoConfiguration.class,
                  DataRedisHealthContributorAutoConfiguration.class,
                  DataRedisReactiveHealthContributorAutoConfiguration.class));

  private static Health health(org.springframework.context.ApplicationContext context) {
    return context.getBean("redisHealthContributor", HealthIndicator.class).health();
  }

  /** It follows the data's, and takes its time-out to fail if the server falls silent before. */
  private static void awaitTheGuardsConnection(EmbeddedServer server) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> server.stats().connectionsReceived() >= 2);
  }

  @Test
  void guardsState_isTheHealthAndAsksNoInfo() {
    EmbeddedServer server = EmbeddedServer.start();
    try {
      runner
          .withPropertyValues(
              "spring.data.redis.url=" + server.uri(),
              "sheaf.warm-up.timeout=20s",
              "sheaf.availability.health-down-after=0s")
          .run(
              context -> {
                assertThat(context.getBean("redisHealthContributor"))
                    .isInstanceOf(AvailabilityHealth.class);
                // The first question connects, which in a new JVM takes longer than others may.
                Health up = health(context);
                assertThat(up.getStatus()).isEqualTo(Status.UP);
                assertThat(up.getDetails()).containsEntry("state", "UP").containsKey("since");
                assertThat(server.stats().count("info")).isZero();
                // The guard's own connection may follow the first answer, which is the data's.
                Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> server.stats().connectionsReceived() == 2);
                health(context);
                assertThat(server.stats().connectionsReceived()).isEqualTo(2);

                server.close();

                Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> health(context).getStatus().equals(Status.DOWN));
                assertThat(health(context).getDetails())
                    .containsEntry("state", "DOWN")
                    .containsKey("reason");
              });
    } finally {
      server.close();
    }
  }

  @Test
  void redisThatIsNotThere_isDownWithoutWaitingLong() {
    EmbeddedServer server = EmbeddedServer.start();
    server.close();
    runner
        .withPropertyValues("spring.data.redis.url=" + server.uri())
        .run(
            context -> {
              assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
              assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            });
  }

  @Test
  void aRedisThatFellSilent_isSlowUntilTheTimeOfTheHealthIsOver() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner
          .withPropertyValues("spring.data.redis.url=" + server.uri())
          .run(
              context -> {
                Instant[] later = {Instant.EPOCH};
                Duration age = Duration.ofHours(2);
                AvailabilityHealth indicator =
                    new AvailabilityHealth(
                        context.getBean(RedisConnectionFactory.class),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        Duration.ofHours(1),
                        () -> Instant.now().plus(Duration.between(Instant.EPOCH, later[0])));
                assertThat(indicator.health().getDetails()).containsEntry("state", "UP");
                awaitTheGuardsConnection(server);
                server.faults().pauseReading(true);

                Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> "SLOW".equals(indicator.health().getDetails().get("state")));
                Health slow = indicator.health();
                assertThat(slow.getStatus()).isEqualTo(Status.UP);
                assertThat(slow.getDetails().get("reason"))
                    .asString()
                    .contains("DOWN if that lasts 3600000 ms");

                later[0] = Instant.EPOCH.plus(age);
                Health down = indicator.health();
                assertThat(down.getStatus()).isEqualTo(Status.DOWN);
                assertThat(down.getDetails()).containsEntry("state", "DOWN");
                server.faults().clear();
              });
    }
  }

  @ParameterizedTest
  @CsvSource({"2s, 2000", "60s, 5000", "0s, 5000"})
  void unlessSet_theTimeIsThatOfCommandsButFiveSecondsAtMost(String timeout, long millis) {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner
          .withPropertyValues(
              "spring.data.redis.url=" + server.uri(), "spring.data.redis.timeout=" + timeout)
          .run(
              context -> {
                AvailabilityHealth indicator =
                    new AvailabilityHealth(
                        context.getBean(RedisConnectionFactory.class),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        null,
                        () -> Instant.EPOCH);
                // Without a time-out, Lettuce gives a handshake 100 ms, too few on a busy machine.
                Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> indicator.health().getStatus() == Status.UP);
                awaitTheGuardsConnection(server);
                server.faults().pauseReading(true);
                Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> "SLOW".equals(indicator.health().getDetails().get("state")));
                assertThat(indicator.health().getDetails().get("reason"))
                    .asString()
                    .endsWith("lasts " + millis + " ms");
                server.faults().clear();
              });
    }
  }

  @Test
  void switchedOff_leavesSpringBootsOwn() {
    runner
        .withPropertyValues("sheaf.availability.health=false")
        .run(
            context ->
                assertThat(context.getBean("redisHealthContributor"))
                    .isNotInstanceOf(AvailabilityHealth.class));
  }

  @Test
  void redisHealthSwitchedOff_isNotThere() {
    runner
        .withPropertyValues("management.health.redis.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("redisHealthContributor"));
  }
}
