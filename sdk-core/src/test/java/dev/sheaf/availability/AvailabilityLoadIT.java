// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.RealRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What asking costs, counted by the server, and that questions do not wait for data. How long they
 * take is measured by the benchmarks.
 */
@Timeout(180)
class AvailabilityLoadIT {

  private static final int ASKS = 10_000;
  private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

  /** Only what a test causes happens, and no answer is late: nothing here is about time. */
  private static final AvailabilityOptions CALM =
      AvailabilityOptions.builder()
          .interval(Duration.ofHours(1))
          .timeout(Duration.ofSeconds(60))
          .downAfter(Duration.ofHours(1))
          .maxAge(Duration.ofHours(1))
          .build();

  private RealRedis redis;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @BeforeEach
  void start() {
    redis = RealRedis.start();
  }

  @AfterEach
  void stop() {
    redis.stop();
  }

  private Sheaf<String, String> connect() {
    Sheaf<String, String> sheaf = Sheaf.builder(redis.uri()).availability(CALM).connect();
    assertThat(sheaf.availability().ping()).isPositive();
    return sheaf;
  }

  /** How often each command was called since the server was asked to forget. */
  private Map<String, Long> calls() {
    Map<String, Long> calls = new TreeMap<>();
    Matcher matcher = CALLS.matcher((String) redis.command("INFO", "commandstats"));
    while (matcher.find()) {
      calls.put(matcher.group(1), Long.valueOf(matcher.group(2)));
    }
    calls.keySet().removeIf(command -> command.startsWith("config") || command.equals("info"));
    return calls;
  }

  private void forgetCalls() {
    redis.command("CONFIG", "RESETSTAT");
  }

  /** A blocking command stands for values that fill the data connection: all behind it wait. */
  @Test
  void pingsAreAnswered_whileTheDataConnectionIsNot() throws Exception {
    try (Sheaf<String, String> sheaf = connect()) {
      var data = sheaf.async().blpop(0, "queue").toCompletableFuture();
      CompletableFuture<String> behind = sheaf.async().get("key").toCompletableFuture();
      List<CompletableFuture<Duration>> pings = new ArrayList<>();
      for (int i = 0; i < ASKS; i++) {
        pings.add(sheaf.availability().pingAsync());
      }
      for (CompletableFuture<Duration> ping : pings) {
        assertThat(ping.get(60, TimeUnit.SECONDS)).isPositive();
      }
      assertThat(sheaf.availability().isAvailable()).isTrue();
      assertThat(data).isNotDone();
      assertThat(behind).isNotDone();
      redis.command("RPUSH", "queue", "item");
      assertThat(data.get(60, TimeUnit.SECONDS).getValue()).isEqualTo("item");
    }
  }

  @Test
  void isAvailable_whenCached_sendsNothing() {
    try (Sheaf<String, String> sheaf = connect()) {
      forgetCalls();
      for (int i = 0; i < ASKS; i++) {
        assertThat(sheaf.availability().isAvailable()).isTrue();
        assertThat(sheaf.availability().isAvailable("key")).isTrue();
      }
      assertThat(calls()).isEmpty();
    }
  }

  @Test
  void hit_costsTheServerOneGet() {
    try (Sheaf<String, String> sheaf = connect()) {
      sheaf.sync().set("key", "value");
      forgetCalls();
      for (int i = 0; i < 100; i++) {
        assertThat(sheaf.readThrough("key", Duration.ofMinutes(10), key -> "loaded"))
            .isEqualTo("value");
      }
      assertThat(calls()).isEqualTo(Map.of("get", 100L));
    }
  }
}
