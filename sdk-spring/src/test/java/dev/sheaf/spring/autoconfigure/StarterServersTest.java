// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.SheafOperations;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import reactor.core.publisher.Flux;

/** Servers of every kind that {@code spring.data.redis} can name. */
class StarterServersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withPropertyValues("sheaf.availability.timeout=5s")
        .withConfiguration(
            AutoConfigurations.of(
                SheafAutoConfiguration.class,
                DataRedisAutoConfiguration.class,
                DataRedisReactiveAutoConfiguration.class));
  }

  private static StringRedisTemplate template(ApplicationContext context) {
    assertThat(context.getBean(BatchingConnectionFactory.class).batches()).isTrue();
    return context.getBean(StringRedisTemplate.class);
  }

  /** Threads that read and write side by side, so that there is something to batch. */
  private static void useTogether(StringRedisTemplate redis) {
    List<CompletableFuture<Void>> threads =
        IntStream.range(0, 8)
            .mapToObj(
                thread ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 20; i++) {
                            String key = "key:" + thread + ":" + i;
                            redis.opsForValue().set(key, key);
                            assertThat(redis.opsForValue().get(key)).isEqualTo(key);
                          }
                        },
                        task -> new Thread(task).start()))
            .toList();
    threads.forEach(CompletableFuture::join);
  }

  @Test
  void sentinel_namesThePrimaryAndItsSuccessor() {
    try (EmbeddedServer server = EmbeddedServer.builder().replicas(1).sentinel("shop").start()) {
      runner()
          .withPropertyValues(
              "spring.data.redis.sentinel.master=shop",
              "spring.data.redis.sentinel.nodes=127.0.0.1:" + server.sentinelPort())
          .run(
              context -> {
                StringRedisTemplate redis = template(context);
                useTogether(redis);
                @SuppressWarnings("unchecked")
                Sheaf<String, String> sheaf = context.getBean(Sheaf.class);
                assertThat(sheaf.availability().isAvailable()).isTrue();
                assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);

                EmbeddedNode replica =
                    server.nodes().stream().filter(node -> !node.isMaster()).findFirst().get();
                replica.failover();
                closeConnectionsTo(server.nodes().get(0));

                Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(
                        () -> {
                          redis.opsForValue().set("after", "failover");
                          return "failover".equals(redis.opsForValue().get("after"));
                        });
              });
    }
  }

  /** As a Sentinel does with the clients of a former primary. */
  private static void closeConnectionsTo(EmbeddedNode former) {
    RedisClient client = RedisClient.create(former.uri());
    try {
      client.connect().sync().clientKill(KillArgs.Builder.typeNormal());
    } finally {
      client.shutdown(Duration.ZERO, PATIENCE);
    }
  }

  @Test
  void factoryMadeWithAnInterface_batches() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      RedisConfiguration configuration =
          new RedisStandaloneConfiguration("127.0.0.1", server.port());
      runner()
          .withBean(
              LettuceConnectionFactory.class, () -> new LettuceConnectionFactory(configuration))
          .run(context -> useTogether(template(context)));
    }
  }

  @Test
  void primaryAndReplicas_areReadAsReadFromSays() {
    try (EmbeddedServer server = EmbeddedServer.builder().replicas(1).start()) {
      EmbeddedNode replica =
          server.nodes().stream().filter(node -> !node.isMaster()).findFirst().get();
      runner()
          .withPropertyValues(
              "spring.data.redis.masterreplica.nodes=127.0.0.1:"
                  + server.port()
                  + ",127.0.0.1:"
                  + replica.port(),
              "spring.data.redis.lettuce.read-from=replica")
          .run(
              context -> {
                StringRedisTemplate redis = template(context);
                redis.opsForValue().set("key", "value");
                replica.resetStats();
                Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> "value".equals(redis.opsForValue().get("key")));
                assertThat(replica.stats().count("get") + replica.stats().count("mget"))
                    .isPositive();
                // Now that both connections are there, the caller itself writes.
                for (int i = 0; i < 3; i++) {
                  String value = "value " + i;
                  redis.opsForValue().set("key", value);
                  Awaitility.await()
                      .atMost(PATIENCE)
                      .until(() -> value.equals(redis.opsForValue().get("key")));
                }
              });
    }
  }

  @Test
  void userWhoMayNotMget_getsEveryValue() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner()
          .withPropertyValues("spring.data.redis.url=" + server.uri())
          .run(
              context ->
                  template(context)
                      .execute(
                          (RedisCallback<Object>)
                              connection ->
                                  connection.execute(
                                      "ACL",
                                      "SETUSER".getBytes(),
                                      "shop".getBytes(),
                                      "on".getBytes(),
                                      ">secret".getBytes(),
                                      "~*".getBytes(),
                                      "+@all".getBytes(),
                                      "-mget".getBytes())));
      runner()
          .withPropertyValues(
              "spring.data.redis.host=127.0.0.1",
              "spring.data.redis.port=" + server.port(),
              "spring.data.redis.username=shop",
              "spring.data.redis.password=secret")
          .run(
              context -> {
                StringRedisTemplate redis = template(context);
                useTogether(redis);
                List<String> keys = IntStream.range(0, 20).mapToObj(i -> "key:0:" + i).toList();
                assertThat(SheafOperations.over(redis).getAll(keys).values())
                    .allSatisfy(value -> assertThat(value.isPresent()).isTrue());
              });
    }
  }

  @Test
  void reactiveTemplate_readsInFewRoundTrips() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner()
          .withPropertyValues("spring.data.redis.url=" + server.uri())
          .run(
              context -> {
                ReactiveStringRedisTemplate redis =
                    context.getBean(ReactiveStringRedisTemplate.class);
                redis.opsForValue().set("key", "value").block(PATIENCE);
                server.resetStats();
                List<String> values =
                    Flux.range(0, 200)
                        .flatMapSequential(i -> redis.opsForValue().get("key"), 200)
                        .collectList()
                        .block(PATIENCE);
                assertThat(values).hasSize(200).containsOnly("value");
                assertThat(server.stats().readBatches()).isLessThan(150);
              });
    }
  }

  @Test
  void everythingOfOneFactory_sharesOneGuard() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      runner()
          .withPropertyValues("spring.data.redis.url=" + server.uri())
          .run(
              context -> {
                BatchingConnectionFactory factory =
                    context.getBean(BatchingConnectionFactory.class);
                @SuppressWarnings("unchecked")
                Sheaf<String, String> sheaf = context.getBean(Sheaf.class);
                assertThat(sheaf.sync().ping()).isEqualTo("PONG");
                assertThat(factory.shared().availability().isAvailable()).isTrue();

                assertThat(sheaf.availability().isAvailable()).isTrue();
                assertThat(sheaf.availability().isAvailable("key")).isTrue();
                assertThat(sheaf.availability().nodes())
                    .containsOnlyKeys("127.0.0.1:" + server.port());
                assertThat(sheaf.availability().withTimeout(PATIENCE).ping()).isPositive();
                // The templates', the bean's own, and the guard's.
                assertThat(server.stats().connectionsReceived()).isEqualTo(3);

                factory.stop();
                factory.start();
                assertThat(sheaf.availability().isAvailable()).isTrue();
              });
    }
  }
}
