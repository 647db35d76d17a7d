package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.health.DataRedisReactiveHealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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

  @Test
  void guardsState_isTheHealthAndAsksNoInfo() {
    EmbeddedServer server = EmbeddedServer.start();
    try {
      runner
          .withPropertyValues("spring.data.redis.url=" + server.uri(), "sheaf.warm-up.timeout=20s")
          .run(
              context -> {
                assertThat(context.getBean("redisHealthContributor"))
                    .isInstanceOf(AvailabilityHealth.class);
                // The first question connects, which in a new JVM takes longer than others may.
                Health up = health(context);
                assertThat(up.getStatus()).isEqualTo(Status.UP);
                assertThat(up.getDetails()).containsEntry("state", "UP").containsKey("since");
                assertThat(server.stats().count("info")).isZero();
                long connections = server.stats().connectionsReceived();
                health(context);
                assertThat(server.stats().connectionsReceived()).isEqualTo(connections);

                server.close();

                Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> health(context).getStatus().equals(Status.DOWN));
                assertThat(health(context).getDetails()).containsKey("reason");
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
