// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.sheaf.app.ShopApplication.Prices;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.LettuceVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.cache.CacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import reactor.core.publisher.Flux;

/** What an application may expect of Spring Data Redis, with the starter and without it. */
abstract class ApplicationContract {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Autowired StringRedisTemplate strings;

  @Autowired RedisTemplate<Object, Object> objects;

  @Autowired ReactiveStringRedisTemplate reactive;

  @Autowired RedisConnectionFactory factory;

  @Autowired ItemRepository items;

  @Autowired Prices prices;

  @Autowired CacheManager caches;

  @Autowired ApplicationContext context;

  private final String key = "key:" + UUID.randomUUID();

  private boolean isCluster() {
    return ((LettuceConnectionFactory) factory).isClusterAware();
  }

  /** Says what .ci/ran makes the tables of docs/compatibility.md of. */
  @Test
  void server_saysWhatItIs() {
    Properties info =
        Objects.requireNonNull(
            strings.execute(
                (RedisCallback<Properties>)
                    connection -> connection.serverCommands().info("server")));
    String server = serverName(info);
    assertThat(server).matches("(the embedded server|(Redis|Valkey) \\d+\\.\\d+).*");
    if (factory instanceof BatchingConnectionFactory) {
      System.out.println(
          String.join(
              " | ",
              "BOOT",
              shortened(SpringBootVersion.getVersion()),
              shortened(LettuceConnectionFactory.class.getPackage().getImplementationVersion()),
              LettuceVersion.getVersion().replaceAll("\\.RELEASE.*", ""),
              Integer.toString(Runtime.version().feature()),
              server + (isCluster() ? " as a cluster" : "")));
    }
  }

  private String serverName(Properties info) {
    if (context.containsBean("sheafEmbeddedRedis")) {
      return "the embedded server";
    }
    String container = getClass().getSimpleName().contains("Container") ? " in a container" : "";
    String valkey = info.getProperty("valkey_version");
    return (valkey == null
            ? "Redis " + shortened(info.getProperty("redis_version"))
            : "Valkey " + shortened(valkey))
        + container;
  }

  private static String shortened(String version) {
    return version.replaceAll("^(\\d+\\.\\d+).*", "$1");
  }

  @Test
  void templates_writeAndRead() {
    strings.opsForValue().set(key, "value", PATIENCE);
    assertThat(strings.opsForValue().get(key)).isEqualTo("value");
    assertThat(strings.getExpire(key)).isPositive();
    assertThat(strings.opsForValue().get(key + "-none")).isNull();

    objects.opsForHash().putAll(key + "-hash", Map.of("a", 1, "b", List.of(2)));
    assertThat(objects.opsForHash().entries(key + "-hash"))
        .isEqualTo(Map.of("a", 1, "b", List.of(2)));
  }

  @Test
  void manyThreads_eachReadTheirOwnValue() {
    List<CompletableFuture<Void>> threads =
        IntStream.range(0, 16)
            .mapToObj(
                thread ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 50; i++) {
                            String mine = key + ":" + thread + ":" + i;
                            strings.opsForValue().set(mine, mine);
                            assertThat(strings.opsForValue().get(mine)).isEqualTo(mine);
                          }
                        }))
            .toList();
    threads.forEach(CompletableFuture::join);
  }

  @Test
  void commandOnAWrongType_failsAsAlways() {
    strings.opsForList().rightPush(key, "element");
    assertThat(
            catchThrowableOfType(DataAccessException.class, () -> strings.opsForValue().get(key)))
        .hasStackTraceContaining("WRONGTYPE");
  }

  @Test
  void multiGetAndScan_findEveryKey() {
    List<String> keys = IntStream.range(0, 20).mapToObj(i -> key + ":" + i).toList();
    keys.forEach(each -> strings.opsForValue().set(each, each));
    assertThat(strings.opsForValue().multiGet(keys)).isEqualTo(keys);

    List<String> scanned = new ArrayList<>();
    try (var cursor =
        strings.scan(ScanOptions.scanOptions().match(key + ":*").count(100).build())) {
      cursor.forEachRemaining(scanned::add);
    }
    assertThat(scanned).containsExactlyInAnyOrderElementsOf(keys);
  }

  @Test
  void executePipelined_givesResultsInOrder() {
    List<Object> results =
        strings.executePipelined(
            new SessionCallback<Object>() {
              @Override
              @SuppressWarnings("unchecked")
              public <K, V> Object execute(RedisOperations<K, V> operations) {
                RedisOperations<String, String> pipeline =
                    (RedisOperations<String, String>) operations;
                pipeline.opsForValue().set(key, "1");
                assertThat(pipeline.opsForValue().increment(key)).isNull();
                pipeline.opsForValue().get(key);
                return null;
              }
            });
    assertThat(results).containsExactly(true, 2L, "2");
  }

  @Test
  void transaction_isAtomicAndGivesItsResults() {
    assumeFalse(isCluster(), "Spring Data Redis has no transactions on a cluster");
    List<Object> results =
        strings.execute(
            new SessionCallback<List<Object>>() {
              @Override
              @SuppressWarnings("unchecked")
              public <K, V> List<Object> execute(RedisOperations<K, V> operations) {
                RedisOperations<String, String> redis =
                    (RedisOperations<String, String>) operations;
                redis.watch(key);
                redis.multi();
                redis.opsForValue().set(key, "1");
                redis.opsForValue().increment(key);
                return redis.exec();
              }
            });
    assertThat(results).containsExactly(true, 2L);
    assertThat(strings.opsForValue().get(key)).isEqualTo("2");
  }

  @Test
  void transactionOnAKeyThatChanged_isNotRun() {
    assumeFalse(isCluster(), "Spring Data Redis has no transactions on a cluster");
    List<Object> results =
        strings.execute(
            new SessionCallback<List<Object>>() {
              @Override
              @SuppressWarnings("unchecked")
              public <K, V> List<Object> execute(RedisOperations<K, V> operations) {
                RedisOperations<String, String> redis =
                    (RedisOperations<String, String>) operations;
                redis.watch(key);
                strings.opsForValue().set(key, "changed");
                redis.multi();
                redis.opsForValue().set(key, "mine");
                return redis.exec();
              }
            });
    assertThat(results).isEmpty();
    assertThat(strings.opsForValue().get(key)).isEqualTo("changed");
  }

  @Test
  void script_runs() {
    RedisScript<Long> script =
        RedisScript.of("return redis.call('INCRBY', KEYS[1], ARGV[1])", Long.class);
    assertThat(strings.execute(script, List.of(key), "5")).isEqualTo(5);
    assertThat(strings.execute(script, List.of(key), "5")).isEqualTo(10);
  }

  @Test
  void messages_reachTheListener() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    RedisMessageListenerContainer container = new RedisMessageListenerContainer();
    container.setConnectionFactory(factory);
    container.addMessageListener(
        (message, pattern) -> heard.add(new String(message.getBody())), new ChannelTopic(key));
    container.afterPropertiesSet();
    container.start();
    try {
      strings.convertAndSend(key, "message");
      assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("message");
    } finally {
      container.destroy();
    }
  }

  @Test
  void reactiveTemplate_writesAndReads() {
    List<String> keys = IntStream.range(0, 50).mapToObj(i -> key + ":" + i).toList();
    Flux.fromIterable(keys)
        .flatMap(each -> reactive.opsForValue().set(each, each))
        .blockLast(PATIENCE);
    assertThat(
            Flux.fromIterable(keys)
                .flatMapSequential(each -> reactive.opsForValue().get(each))
                .collectList()
                .block(PATIENCE))
        .isEqualTo(keys);
  }

  @Test
  void repository_keepsItems() {
    items.save(new Item(key, "apple", 3));
    assertThat(items.findById(key)).contains(new Item(key, "apple", 3));
    items.deleteById(key);
    assertThat(items.findById(key)).isEmpty();
  }

  @Test
  void cache_remembersUntilItIsEvicted() {
    int before = prices.looked();
    assertThat(prices.of(key)).isEqualTo("price of " + key);
    // Spring Data Redis does not wait for the writes of its caches.
    Awaitility.await().atMost(PATIENCE).until(() -> cached() != null);
    assertThat(prices.of(key)).isEqualTo("price of " + key);
    assertThat(prices.looked()).isEqualTo(before + 1);
    prices.forget(key);
    Awaitility.await().atMost(PATIENCE).until(() -> cached() == null);
    assertThat(prices.of(key)).isEqualTo("price of " + key);
    assertThat(prices.looked()).isEqualTo(before + 2);
  }

  private Object cached() {
    return Objects.requireNonNull(caches.getCache("prices")).get(key);
  }

  @Test
  void stoppedAndStartedAgain_theSameTemplatesWork() {
    LettuceConnectionFactory lettuce = (LettuceConnectionFactory) factory;
    strings.opsForValue().set(key, "before");
    lettuce.stop();
    lettuce.start();
    assertThat(strings.opsForValue().get(key)).isEqualTo("before");
    assertThat(reactive.opsForValue().get(key).block(PATIENCE)).isEqualTo("before");
  }
}
