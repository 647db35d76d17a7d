// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.EmbeddedServerBuilder;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * The lifecycle that a checkpoint (CRaC) goes through: all connections are closed before it, and
 * what the application keeps works with new ones after it.
 */
class CheckpointTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Configuration(proxyBeanMethods = false)
  static class Listening {

    @Bean
    BlockingQueue<String> heard() {
      return new LinkedBlockingQueue<>();
    }

    @Bean
    RedisMessageListenerContainer listener(
        RedisConnectionFactory factory, BlockingQueue<String> heard) {
      RedisMessageListenerContainer container = new RedisMessageListenerContainer();
      container.setConnectionFactory(factory);
      container.addMessageListener(
          (message, pattern) -> heard.add(new String(message.getBody())),
          new ChannelTopic("channel"));
      return container;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stoppedAndStartedTwice_hasNoConnectionBetweenAndNewOnesAfter(boolean cluster) {
    EmbeddedServerBuilder builder = EmbeddedServer.builder();
    if (cluster) {
      builder.cluster(3, 0);
    }
    try (EmbeddedServer server = builder.start();
        ConfigurableApplicationContext application = start(server)) {
      StringRedisTemplate strings = application.getBean(StringRedisTemplate.class);
      for (int round = 0; round < 3; round++) {
        worksWithAll(application, "round " + round);
        application.stop();
        Awaitility.await().atMost(PATIENCE).until(() -> connections(server) == 0);
        assertThatIllegalStateException()
            .isThrownBy(() -> strings.opsForValue().get("key"))
            .withMessageContaining("STOPPED");
        application.start();
      }
      worksWithAll(application, "at last");
    }
  }

  private static ConfigurableApplicationContext start(EmbeddedServer server) {
    String place =
        server.isCluster()
            ? "spring.data.redis.cluster.nodes=127.0.0.1:" + server.port()
            : "spring.data.redis.url=" + server.uri();
    return new SpringApplicationBuilder(ShopApplication.class, Listening.class)
        .web(WebApplicationType.NONE)
        .run("--" + place);
  }

  /** Of clients on all nodes, without the one that asks. */
  private static long connections(EmbeddedServer server) {
    return server.nodes().stream()
        .mapToLong(
            node -> {
              RedisClient client = RedisClient.create(node.uri());
              try {
                RedisCommands<String, String> asking = client.connect().sync();
                return asking.clientList().lines().count() - 1;
              } finally {
                client.shutdown(0, 0, TimeUnit.SECONDS);
              }
            })
        .sum();
  }

  @SuppressWarnings("unchecked")
  private static void worksWithAll(ConfigurableApplicationContext application, String value) {
    StringRedisTemplate strings = application.getBean(StringRedisTemplate.class);
    List<String> keys = List.of("key", "another", "third");
    keys.forEach(key -> strings.opsForValue().set(key, value));
    assertThat(strings.opsForValue().multiGet(keys)).containsOnly(value);
    assertThat(
            application
                .getBean(ReactiveStringRedisTemplate.class)
                .opsForValue()
                .get("key")
                .block(PATIENCE))
        .isEqualTo(value);
    Sheaf<String, String> sheaf = application.getBean(Sheaf.class);
    assertThat(sheaf.sync().get("key")).isEqualTo(value);
    keys.forEach(key -> assertThat(sheaf.getAll(keys).get(key).orNull()).isEqualTo(value));
    assertThat(sheaf.availability().isAvailable()).isTrue();
    assertThat(application.getBean(Counter.class).add(List.of("counter"), 1)).isPositive();
    ItemRepository items = application.getBean(ItemRepository.class);
    items.save(new Item("1", value, 3));
    assertThat(items.findById("1")).contains(new Item("1", value, 3));
    ShopApplication.Prices prices = application.getBean(ShopApplication.Prices.class);
    assertThat(prices.of(value)).isEqualTo("price of " + value);

    BlockingQueue<String> heard = application.getBean(BlockingQueue.class);
    strings.convertAndSend("channel", value);
    Awaitility.await().atMost(PATIENCE).until(() -> value.equals(heard.poll()));
  }
}
