// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.EmbeddedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Spring's caches on Redis, on one that ends, and many keys at once. */
class SheafCacheTest extends CachesOnAServer {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  @Override
  ApplicationContextRunner runner() {
    return super.runner()
        .withUserConfiguration(Caching.class)
        // On a machine that starves the guard finds the nodes slow, and reads are misses.
        .withPropertyValues("sheaf.availability.timeout=5s", "sheaf.cache.read-timeout=5s");
  }

  private static Cache cache(ApplicationContext context) {
    return Objects.requireNonNull(context.getBean(CacheManager.class).getCache("numbers"));
  }

  @Test
  void cache_keepsEvictsAndClears() {
    runner()
        .withPropertyValues("spring.cache.redis.time-to-live=1h")
        .run(
            context -> {
              Cache cache = cache(context);
              cache.put("one", 1);
              assertThat(cache.get("one", Integer.class)).isEqualTo(1);
              assertThat(cache.putIfAbsent("one", 2).get()).isEqualTo(1);
              cache.put("null", null);
              assertThat(cache.get("null")).isNotNull();
              assertThat(cache.evictIfPresent("one")).isTrue();
              assertThat(cache.get("one")).isNull();
              cache.put("two", 2);
              cache.clear();
              Awaitility.await().until(() -> cache.get("two") == null);
              assertThat(cache.retrieve("two").get()).isNull();
              assertThat(server.stats().count("info")).isZero();
              assertThat(server.stats().count("keys")).isZero();
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void clear_scansAndUnlinksOnEachPrimary(boolean cluster) {
    try (EmbeddedServer other =
        cluster ? EmbeddedServer.builder().cluster(3, 0).start() : EmbeddedServer.start()) {
      runner()
          .withPropertyValues(
              cluster
                  ? "spring.data.redis.cluster.nodes=127.0.0.1:" + other.port()
                  : "spring.data.redis.url=" + other.uri())
          .run(
              context -> {
                StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
                template.opsForValue().set("other", "1");
                Cache cache = cache(context);
                int keys = ScanAndUnlink.KEYS_PER_STEP + 10;
                Map<Integer, Integer> values = new HashMap<>();
                IntStream.range(0, keys).forEach(i -> values.put(i, i));
                context
                    .getBean(SheafCaches.class)
                    .getAll("numbers", values.keySet(), missing -> values);
                assertThat(cache.get(keys - 1, Integer.class)).isEqualTo(keys - 1);

                assertThat(cache.invalidate()).isTrue();

                for (int i = 0; i < keys; i += 100) {
                  assertThat(cache.get(i)).isNull();
                }
                assertThat(template.opsForValue().get("other")).isEqualTo("1");
                assertThat(other.stats().count("keys")).isZero();
                assertThat(other.stats().count("del")).isZero();
                assertThat(other.stats().count("scan")).isGreaterThanOrEqualTo(cluster ? 3 : 2);
                assertThat(other.stats().count("unlink")).isPositive();
              });
    }
  }

  @Test
  void redisThatEnds_isAMissAndNeverAnException() {
    runner()
        .run(
            context -> {
              Cache cache = cache(context);
              cache.put("one", 1);
              assertThat(cache.get("one", Integer.class)).isEqualTo(1);

              server.close();

              assertThat(cache.get("one")).isNull();
              assertThat(cache.get("one", () -> 7)).isEqualTo(7);
              cache.put("two", 2);
              cache.evict("one");
            });
  }

  /** One command is in flight at a time, and the reply to the first comes after all were late. */
  @Test
  void readsThatAreLateBeforeTheyAreSent_areNotSent() {
    runner()
        .withPropertyValues(
            "sheaf.batching.max-in-flight-commands=1",
            "sheaf.batching.max-lanes=0",
            "sheaf.cache.read-timeout=50ms")
        .run(
            context -> {
              Cache cache = cache(context);
              Awaitility.await()
                  .atMost(PATIENCE)
                  .until(
                      () -> {
                        cache.put("last", 1); // The first ones may find no connection yet.
                        return cache.get("last") != null;
                      });
              server.log().start();
              server.faults().latency("get", Duration.ofSeconds(1));
              assertThat(cache.get("first")).isNull();
              assertThat(cache.get("second")).isNull();
              assertThat(cache.retrieve("third").get()).isNull();
              server.faults().clear();
              Awaitility.await().atMost(PATIENCE).until(() -> cache.get("last") != null);
              server.log().assertRan("GET", "numbers::last");
              assertThat(server.log().entries())
                  .noneMatch(ran -> ran.words().contains("numbers::second"))
                  .noneMatch(ran -> ran.words().contains("numbers::third"));
            });
  }

  @Test
  void redisThatIsNotThere_isAMiss() {
    server.close();
    runner()
        .run(
            context -> {
              Cache cache = cache(context);
              assertThat(cache.get("one")).isNull();
              assertThat(cache.get("one", () -> 7)).isEqualTo(7);
              assertThat(
                      context
                          .getBean(SheafCaches.class)
                          .<String, Integer>getAll("numbers", List.of("a"), keys -> Map.of("a", 1)))
                  .isEqualTo(Map.of("a", 1));
              cache.clear();
            });
  }

  @Test
  void callersOfOneKey_loadItOnce() {
    runner()
        .run(
            context -> {
              Cache cache = cache(context);
              AtomicInteger loads = new AtomicInteger();
              CountDownLatch begun = new CountDownLatch(1);
              CountDownLatch finish = new CountDownLatch(1);
              CompletableFuture<Integer> first =
                  CompletableFuture.supplyAsync(
                      () ->
                          cache.get(
                              "slow",
                              () -> {
                                loads.incrementAndGet();
                                begun.countDown();
                                finish.await();
                                return 1;
                              }),
                      task -> new Thread(task).start());
              begun.await();
              List<CompletableFuture<Integer>> others = new ArrayList<>();
              AtomicInteger waiting = new AtomicInteger();
              for (int i = 0; i < 8; i++) {
                others.add(
                    CompletableFuture.supplyAsync(
                        () -> {
                          waiting.incrementAndGet();
                          return cache.get("slow", () -> loads.incrementAndGet() + 100);
                        },
                        task -> new Thread(task).start()));
              }
              Awaitility.await().until(() -> waiting.get() == 8);
              finish.countDown();

              assertThat(first.join()).isEqualTo(1);
              assertThat(others).allSatisfy(other -> assertThat(other.join()).isEqualTo(1));
              assertThat(loads).hasValue(1);
            });
  }

  @Test
  void manyKeys_areReadAtOnceAndTheMissingLoadedTogether() {
    runner()
        .run(
            context -> {
              SheafCaches caches = context.getBean(SheafCaches.class);
              Cache cache = cache(context);
              List<Integer> keys = IntStream.range(0, 100).boxed().toList();
              keys.subList(0, 50).forEach(key -> cache.put(key, "cached " + key));
              List<Set<Integer>> asked = new ArrayList<>();
              AtomicLong roundTrips = new AtomicLong();
              server.resetStats();

              Map<Integer, String> values =
                  caches.getAll(
                      "numbers",
                      keys,
                      missing -> {
                        asked.add(missing);
                        roundTrips.set(server.stats().readBatches());
                        Map<Integer, String> loaded = new HashMap<>();
                        missing.forEach(key -> loaded.put(key, "loaded " + key));
                        loaded.remove(98);
                        loaded.put(99, null);
                        return loaded;
                      });

              assertThat(values.keySet()).containsExactlyElementsOf(keys.subList(0, 98));
              assertThat(values).containsEntry(0, "cached 0").containsEntry(50, "loaded 50");
              assertThat(asked).containsExactly(Set.copyOf(keys.subList(50, 100)));
              // One for the keys, one that asks again for those that were nil, the guard's PING.
              assertThat(roundTrips.get()).isLessThan(10);

              Map<Integer, String> again =
                  caches.getAll(
                      "numbers",
                      keys,
                      missing -> {
                        throw new AssertionError("asked for " + missing);
                      });
              assertThat(again).isEqualTo(values);
              assertThat(cache.get(50, String.class)).isEqualTo("loaded 50");
            });
  }

  @Test
  void aLoaderThatFails_failsTheCallAndCachesNothing() {
    runner()
        .run(
            context -> {
              SheafCaches caches = context.getBean(SheafCaches.class);
              assertThatThrownBy(
                      () ->
                          caches.<String, String>getAll(
                              "numbers",
                              List.of("a"),
                              missing -> {
                                throw new IllegalStateException("no database");
                              }))
                  .hasMessage("no database");
              assertThat(cache(context).get("a")).isNull();
              assertThatThrownBy(
                      () -> caches.getAll("numbers", Arrays.asList("a", null), k -> Map.of()))
                  .isInstanceOf(NullPointerException.class);
            });
  }

  @Test
  void switchedOff_aLostRedisIsAnErrorAsInSpring() {
    runner()
        .withPropertyValues("sheaf.cache.guarded=false", "spring.data.redis.timeout=1s")
        .run(
            context -> {
              server.close();
              assertThatThrownBy(() -> cache(context).get("one"))
                  .isInstanceOf(DataAccessException.class);
            });
  }
}
