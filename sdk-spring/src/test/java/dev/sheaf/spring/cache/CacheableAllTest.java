// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager.RedisCacheManagerBuilder;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Methods that take many keys, cached key by key. */
class CacheableAllTest extends CachesOnAServer {

  /** A key that nobody has a converter for. */
  record Code(String country, int number) {}

  /** What a shop asks for many things at once; not final, since it is subclassed. */
  static class Prices {

    /** What the methods were called with. */
    private final List<Collection<?>> calls = new CopyOnWriteArrayList<>();

    List<Collection<?>> calls() {
      return calls;
    }

    @Cacheable("prices")
    public String one(Integer item) {
      calls.add(List.of(item));
      return "price " + item;
    }

    /** No price for 13, and an error for 666. */
    @CacheableAll("prices")
    public Map<Integer, String> of(Collection<Integer> items) throws IOException {
      calls.add(items);
      if (items.contains(666)) {
        throw new IOException("no price list");
      }
      Map<Integer, String> prices = new HashMap<>();
      items.forEach(item -> prices.put(item, item == 13 ? null : "price " + item));
      prices.put(999, "not asked for");
      return prices;
    }

    @Cacheable("codes")
    public String ofCode(Code code) {
      return "cached by itself";
    }

    @CacheableAll("codes")
    public Map<Code, String> ofCodes(Set<Code> codes) {
      calls.add(codes);
      return Map.of();
    }

    @CacheableAll("lists")
    public Map<Integer, String> ofList(List<Integer> items) {
      calls.add(items);
      return Map.of(items.get(0), "first");
    }

    @CacheableAll("nothing")
    public Map<Integer, String> nothing(Set<Integer> items) {
      calls.add(items);
      return null;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Shop {

    @Bean
    Prices prices() {
      return new Prices();
    }
  }

  @Override
  ApplicationContextRunner runner() {
    return super.runner()
        .withPropertyValues(
            "spring.cache.redis.time-to-live=1h",
            // In a new JVM the first connection takes longer than a cache would wait for it.
            "sheaf.cache.read-timeout=5s",
            "sheaf.availability.timeout=5s");
  }

  private void withShop(ThrowingConsumer test) {
    runner()
        .withUserConfiguration(Shop.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(context);
            });
  }

  private interface ThrowingConsumer {
    void accept(AssertableApplicationContext context) throws Exception;
  }

  @Test
  void missingKeys_areLoadedTogetherAndCachedEachForItself() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          assertThat(prices.one(2)).isEqualTo("price 2");
          prices.calls().clear();
          server.resetStats();

          assertThat(prices.of(List.of(3, 2, 1, 3, 13)))
              .containsExactly(
                  Map.entry(3, "price 3"), Map.entry(2, "price 2"), Map.entry(1, "price 1"));
          assertThat(prices.calls()).containsExactly(Set.of(3, 1, 13));
          assertThat(new ArrayList<>(prices.calls().get(0))).isEqualTo(List.of(3, 1, 13));

          assertThat(prices.of(List.of(1, 2, 3, 13))).hasSize(3);
          assertThat(prices.one(3)).isEqualTo("price 3");
          assertThat(prices.calls()).hasSize(1);
          StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
          assertThat(redis.getExpire("prices::1")).isBetween(3500L, 3600L);
          assertThat(redis.hasKey("prices::999")).isFalse();
        });
  }

  @Test
  void manyKeys_areOneReadAndOneWrite() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          prices.of(List.of(-1));
          // The write before was not waited for, but this read comes after it.
          prices.of(List.of(-1));
          server.resetStats();
          List<Integer> items = IntStream.rangeClosed(100, 299).boxed().toList();
          assertThat(prices.of(items)).hasSize(200);
          assertThat(prices.of(items)).hasSize(200);
          assertThat(server.stats().count("set")).isEqualTo(200);
          assertThat(server.stats().readBatches()).isLessThan(20);
          assertThat(prices.calls()).hasSize(2);
        });
  }

  @Test
  void whatTheMethodThrows_itsCallerGetsAndNothingIsCached() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          assertThatThrownBy(() -> prices.of(List.of(1, 666)))
              .isInstanceOf(IOException.class)
              .hasMessage("no price list");
          assertThat(prices.of(List.of(1))).containsOnlyKeys(1);
          assertThat(prices.calls()).hasSize(2);
          assertThatThrownBy(() -> prices.of(null)).isInstanceOf(NullPointerException.class);
          assertThatThrownBy(() -> prices.of(Arrays.asList(1, null)))
              .isInstanceOf(NullPointerException.class);
          assertThat(prices.of(List.of())).isEmpty();
          assertThat(prices.calls()).hasSize(2);
        });
  }

  @Test
  void aListAndAMethodThatFindsNothing_work() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          assertThat(prices.ofList(List.of(5, 4, 5))).isEqualTo(Map.of(5, "first"));
          assertThat(prices.calls()).containsExactly(List.of(5, 4));
          assertThat(prices.nothing(Set.of(1))).isEmpty();
          assertThat(prices.nothing(Set.of(1))).isEmpty();
          assertThat(prices.calls()).hasSize(2);
        });
  }

  @Test
  void aKeyOfTheApplication_isTheSameEntryAsForCacheable() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          Code code = new Code("de", 7);
          prices.ofCode(code);
          assertThat(prices.ofCodes(Set.of(code))).isEqualTo(Map.of(code, "cached by itself"));
          assertThat(prices.calls()).isEmpty();
          SheafCaches caches = context.getBean(SheafCaches.class);
          assertThatThrownBy(() -> caches.getAll("codes", List.of(new Object()), keys -> Map.of()))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("java.lang.Object cannot be the key of a cache");
        });
  }

  @Test
  void withoutRedis_theMethodIsCalledWithAll() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          prices.of(List.of(1));
          server.close();
          assertThat(prices.of(List.of(1, 2))).containsOnlyKeys(1, 2);
          assertThat(prices.calls()).last().isEqualTo(Set.of(1, 2));
        });
  }

  @Test
  void valueThatCannotBeDeserialized_isAMissAsForCacheable() {
    withShop(
        context -> {
          Prices prices = context.getBean(Prices.class);
          prices.of(List.of(1, 2));
          context.getBean(StringRedisTemplate.class).opsForValue().set("prices::2", "not Java's");
          assertThat(prices.of(List.of(1, 2))).containsOnlyKeys(1, 2);
          assertThat(prices.calls()).hasSize(2).last().isEqualTo(Set.of(2));
          assertThat(prices.of(List.of(1, 2))).containsOnlyKeys(1, 2);
          assertThat(prices.calls()).hasSize(2);
        });
  }

  @Test
  void keyGeneratorOfTheApplication_isForCacheableAlone() {
    runner()
        .withUserConfiguration(Shop.class)
        .withBean(CachingConfigurer.class, () -> new OwnKeys())
        .run(
            context -> {
              Prices prices = context.getBean(Prices.class);
              prices.one(1);
              prices.of(List.of(1));
              assertThat(prices.calls()).hasSize(2);
              assertThat(context.getBean(StringRedisTemplate.class).keys("prices::*"))
                  .containsExactlyInAnyOrder("prices::own 1", "prices::1");
            });
  }

  static final class OwnKeys implements CachingConfigurer {
    @Override
    public KeyGenerator keyGenerator() {
      return (target, method, parameters) -> "own " + parameters[0];
    }
  }

  @Test
  void withoutNullValues_aKeyWithoutOneIsAskedForAgain() {
    runner()
        .withUserConfiguration(Shop.class)
        .withPropertyValues("spring.cache.redis.cache-null-values=false")
        .run(
            context -> {
              Prices prices = context.getBean(Prices.class);
              assertThat(prices.of(List.of(1, 13))).containsOnlyKeys(1);
              assertThat(prices.of(List.of(1, 13))).containsOnlyKeys(1);
              assertThat(prices.calls()).containsExactly(Set.of(1, 13), Set.of(13));
            });
  }

  static class TwoParameters {
    @CacheableAll("prices")
    public Map<Integer, String> of(List<Integer> items, String currency) {
      return Map.of();
    }
  }

  static class NoMap {
    @CacheableAll("prices")
    public List<String> of(List<Integer> items) {
      return List.of();
    }
  }

  static class OtherKeys {
    @CacheableAll("prices")
    public Map<Long, String> of(List<Integer> items) {
      return Map.of();
    }
  }

  static class Hidden {
    @CacheableAll("prices")
    public final Map<Integer, String> of(List<Integer> items) {
      return Map.of();
    }
  }

  static class NoName {
    @CacheableAll(" ")
    public Map<Integer, String> of(List<Integer> items) {
      return Map.of();
    }
  }

  @Test
  void aMethodThatCannotBeCachedSo_endsTheStart() {
    Map<Class<?>, String> wrong =
        Map.of(
            TwoParameters.class, "it needs one parameter, a Collection, List or Set of keys",
            NoMap.class, "it has to return a Map of the keys, but returns List",
            OtherKeys.class, "keys of java.lang.Integer, but returns a Map with keys of java.lang",
            Hidden.class, "calls of a private, static or final method do not pass the proxy",
            NoName.class, "the name of the cache is empty");
    wrong.forEach(
        (type, message) ->
            runner()
                .withUserConfiguration(Shop.class)
                .withBean(type)
                .run(
                    context ->
                        assertThat(context)
                            .getFailure()
                            .hasStackTraceContaining(message)
                            .hasStackTraceContaining("@CacheableAll on public")
                            .hasStackTraceContaining(type.getSimpleName() + ".of")));
  }

  @Test
  void aCacheThatThereIsNot_isSaid() {
    runner()
        .withUserConfiguration(Shop.class)
        .withBean(
            RedisCacheManagerBuilderCustomizer.class,
            () -> RedisCacheManagerBuilder::disableCreateOnMissingCache)
        .run(
            context -> {
              assertThatThrownBy(() -> context.getBean(Prices.class).of(List.of(1)))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessage("There is no cache prices");
            });
  }
}
