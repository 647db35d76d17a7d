// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.observe.CommandMeters;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What Spring Boot's actuator observes of an application is the same with the starter. */
class ObservedApplicationTest {

  private static final int THREADS = 16;

  @Test
  void metersOfCommands_areThoseOfThePlainApplication() throws Exception {
    Map<String, Long> plain = observed("--sheaf.enabled=false");
    Map<String, Long> sheaf = observed("--sheaf.enabled=true");
    assertThat(plain.keySet()).anyMatch(meter -> meter.contains("GET"));
    assertThat(sheaf).containsExactlyInAnyOrderEntriesOf(plain);
  }

  @Test
  void observeOff_hasNoMetersOfCommands_andBatchesHaveThoseOfBatches() throws Exception {
    assertThat(observed("--sheaf.observe=off")).isEmpty();
    assertThat(observed("--sheaf.observe=batches").keySet())
        .isNotEmpty()
        .allMatch(meter -> meter.contains("sheaf.batch"));
  }

  @Test
  void metersThatAreIgnored_areAbsentAsInThePlainApplication() throws Exception {
    String ignored = "--management.metrics.observations.ignored-meters=long-task-timer";
    Map<String, Long> plain = observed("--sheaf.enabled=false", ignored);
    assertThat(plain.keySet()).noneMatch(meter -> meter.startsWith("lettuce.active"));
    assertThat(observed("--sheaf.enabled=true", ignored)).containsExactlyInAnyOrderEntriesOf(plain);
  }

  @Test
  void observeOfAnotherWord_endsTheStart_andSaysWhatToWrite() {
    assertThat(catchThrowable(() -> observed("--sheaf.observe=all")))
        .hasStackTraceContaining("observe must be commands, batches, sampled(n) or off");
  }

  private static Map<String, Long> observed(String... arguments) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        ConfigurableApplicationContext context =
            SpringApplication.run(
                ShopApplication.class,
                Stream.concat(
                        Stream.of(arguments),
                        Stream.of(
                            "--spring.data.redis.url=" + server.uri(),
                            "--spring.main.web-application-type=none",
                            "--spring.main.banner-mode=off"))
                    .toArray(String[]::new))) {
      assertThat(context.getBeanNamesForType(CommandMeters.class))
          .hasSameSizeAs(context.getBeanNamesForType(Sheaf.class));
      StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
      work(redis, context.getBean(ObservationRegistry.class));
      assertThat(context.getBean(PrometheusMeterRegistry.class).scrape()).isNotEmpty();
      return meters(context.getBean(MeterRegistry.class), server.port());
    }
  }

  /** Meters of commands by their tags. Connections differ in number, and so do handshakes. */
  private static Map<String, Long> meters(MeterRegistry registry, int port) {
    Map<String, Long> counts = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      if (!meter.getId().getName().startsWith("lettuce")) {
        continue;
      }
      String id =
          meter.getId().getTags().stream()
              .map(tag -> tag.getKey() + "=" + tag.getValue())
              .sorted()
              .collect(Collectors.joining(",", meter.getId().getName() + " ", ""));
      if (!id.contains("=HELLO") && !id.contains("=CLIENT")) {
        counts.put(id.replace("=" + port, "=PORT"), count(meter));
      }
    }
    return counts;
  }

  /** Of commands that are over, or under way. */
  private static long count(Meter meter) {
    return meter.match(
        gauge -> -1L,
        counter -> -1L,
        Timer::count,
        summary -> -1L,
        active -> (long) active.activeTasks(),
        gauge -> -1L,
        counter -> -1L,
        timer -> -1L,
        other -> -1L);
  }

  /** Commands of an application: alone, pipelined, refused, and GETs of many threads at once. */
  static void work(StringRedisTemplate redis, ObservationRegistry observations)
      throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      redis.opsForValue().set("key:" + i, "value:" + i);
      redis.opsForHash().put("hash", "field:" + i, "value");
    }
    redis.opsForList().leftPush("list", "a");
    assertThat(catchThrowable(() -> redis.opsForValue().get("list"))).isNotNull();
    assertThat(catchThrowable(() -> redis.opsForValue().increment("key:1"))).isNotNull();
    redis.executePipelined(
        (org.springframework.data.redis.core.RedisCallback<Object>)
            connection -> {
              for (int i = 0; i < 20; i++) {
                connection.stringCommands().get(("key:" + i).getBytes());
              }
              return null;
            });
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Observation request = Observation.createNotStarted("request", observations);
      threads.add(
          new Thread(
              () ->
                  request.observe(
                      () ->
                          IntStream.range(0, 200)
                              .forEach(i -> redis.opsForValue().get("key:" + i % 70)))));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
