// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What another version of the application wrote into a cache, or what is damaged, is a miss. */
class UndecodableCacheValueTest extends CachesOnAServer {

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  /** Configured by name, or made from the defaults when it is first asked for. */
  private void withCache(String names, BiConsumer<ApplicationContext, Cache> test) {
    runner()
        .withUserConfiguration(Caching.class)
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues(names)
        .run(
            context ->
                test.accept(
                    context,
                    Objects.requireNonNull(
                        context.getBean(CacheManager.class).getCache("numbers"))));
  }

  private static void store(ApplicationContext context, String key, String value) {
    context.getBean(StringRedisTemplate.class).opsForValue().set("numbers::" + key, value);
  }

  private static double counted(ApplicationContext context) {
    return context.getBean(MeterRegistry.class).get(CacheValues.METER).counter().count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"spring.cache.cache-names=numbers", "sheaf.enabled=true"})
  void aValueOfAnotherForm_isAMissThatIsCounted(String names) {
    withCache(
        names,
        (context, cache) -> {
          store(context, "one", "written in another form");
          assertThat(cache.get("one")).isNull();
          assertThat(counted(context)).isEqualTo(1);
          assertThat(cache.retrieve("one").join()).isNull();
          assertThat(counted(context)).isEqualTo(2);
          assertThat(cache.get("one", () -> 1)).isEqualTo(1);
          assertThat(counted(context)).isEqualTo(3);
          assertThat(cache.get("one", Integer.class)).isEqualTo(1);
          assertThat(cache.get("one", () -> 2)).isEqualTo(1);
          assertThat(counted(context)).isEqualTo(3);

          store(context, "two", "written in another form");
          assertThat(cache.putIfAbsent("two", 2)).isNull();
          assertThat(cache.get("two", Integer.class)).isEqualTo(2);

          store(context, "three", "written in another form");
          Map<String, Integer> all =
              context
                  .getBean(SheafCaches.class)
                  .getAll("numbers", List.of("one", "three"), missing -> Map.of("three", 3));
          assertThat(all).isEqualTo(Map.of("one", 1, "three", 3));
          assertThat(counted(context)).isEqualTo(5);

          cache.put("null", null);
          assertThat(cache.<Integer>get("null", () -> 7)).isNull();
          assertThat(cache.get("null")).isNotNull();
          assertThat(counted(context)).isEqualTo(5);
        });
  }

  @Test
  void aDamagedCompressedValue_isAMissThatIsCounted() {
    String value = "compressible ".repeat(100);
    withCache(
        "sheaf.compression.mode=on",
        (context, cache) -> {
          cache.put("page", value);
          assertThat(cache.get("page", String.class)).isEqualTo(value);
          damage("numbers::page");
          assertThat(cache.get("page")).isNull();
          assertThat(cache.get("page", () -> "loaded")).isEqualTo("loaded");
          assertThat(counted(context)).isEqualTo(2);
        });
  }

  /** Its last byte becomes another one, past what the client would refuse. */
  private void damage(String key) {
    runner()
        .withPropertyValues("sheaf.enabled=false")
        .run(
            plain ->
                plain
                    .getBean(StringRedisTemplate.class)
                    .execute(
                        (RedisCallback<Object>)
                            redis -> {
                              byte[] stored = redis.stringCommands().get(key.getBytes(UTF_8));
                              stored[stored.length - 1]++;
                              return redis.stringCommands().set(key.getBytes(UTF_8), stored);
                            }));
  }
}
