// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

class EmbeddedRedisAutoConfigurationTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  EmbeddedRedisAutoConfiguration.class,
                  SheafAutoConfiguration.class,
                  DataRedisAutoConfiguration.class));

  @Test
  void withoutConfiguration_startsAndEndsWithTheContext() {
    AtomicInteger port = new AtomicInteger();
    runner.run(
        context -> {
          StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
          template.opsForValue().set("key", "value");
          assertThat(template.opsForValue().get("key")).isEqualTo("value");
          port.set(context.getBean(LettuceConnectionFactory.class).getPort());
        });
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port.get()).close())
        .isInstanceOf(java.net.ConnectException.class);
  }

  @Test
  void askedForPrimaries_isACluster() {
    runner
        .withPropertyValues("sheaf.embedded.masters=3")
        .run(
            context -> {
              assertThat(context.getBean(LettuceConnectionFactory.class).isClusterAware()).isTrue();
              context.getBean(StringRedisTemplate.class).opsForValue().set("key", "value");
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void latency_isThatOfEachRoundTrip(int masters) {
    runner
        .withPropertyValues("sheaf.embedded.latency=5ms", "sheaf.embedded.masters=" + masters)
        .run(
            context -> {
              StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
              template.opsForValue().set("key", "value");
              long begin = System.nanoTime();
              for (int i = 0; i < 10; i++) {
                assertThat(template.opsForValue().get("key")).isEqualTo("value");
              }
              assertThat(Duration.ofNanos(System.nanoTime() - begin))
                  .isGreaterThanOrEqualTo(Duration.ofMillis(50));
            });
  }

  @Test
  void negativeLatency_isRefused() {
    runner
        .withPropertyValues("sheaf.embedded.latency=-1ms")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("sheaf.embedded.latency")
                    .hasStackTraceContaining("PT-0.001S"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spring.data.redis.host=localhost",
        "spring.data.redis.port=6379",
        "spring.data.redis.url=redis://localhost:6379",
        "spring.data.redis.cluster.nodes=localhost:7000",
        "spring.data.redis.sentinel.nodes=localhost:26379;spring.data.redis.sentinel.master=m",
        "spring.data.redis.masterreplica.nodes=localhost:6379",
        "sheaf.embedded.enabled=false",
        "sheaf.enabled=false"
      })
  void withARedisConfiguredOrSwitchedOff_doesNotStart(String property) {
    runner
        .withPropertyValues(property.split(";"))
        .run(context -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
  }

  @Test
  void withConnectionDetails_doesNotStart() {
    runner
        .withBean(
            DataRedisConnectionDetails.class,
            () ->
                new DataRedisConnectionDetails() {
                  @Override
                  public Standalone getStandalone() {
                    return Standalone.of("localhost", 1);
                  }
                })
        .run(context -> assertThat(context).doesNotHaveBean(EmbeddedRedis.class));
  }

  @Test
  void withoutTheServerOnTheClassPath_isNotThere() {
    runner
        .withClassLoader(new FilteredClassLoader("dev.sheaf.embedded"))
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
  }

  @Test
  void inProduction_isRefusedAndSaysWhatToDo() {
    runner
        .withPropertyValues("spring.profiles.active=prod")
        .run(
            context -> {
              assertThat(context).hasFailed();
              var analysis =
                  new EmbeddedServerRefusedFailureAnalyzer().analyze(context.getStartupFailure());
              assertThat(analysis.getDescription()).contains("profile prod");
              assertThat(analysis.getAction())
                  .contains("spring.data.redis.url")
                  .contains("sheaf.embedded.allowed-in-production=true");
            });
  }

  @Test
  void inProductionIfTold_starts() {
    runner
        .withPropertyValues(
            "spring.profiles.active=prod", "sheaf.embedded.allowed-in-production=true")
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(EmbeddedRedis.class));
  }
}
