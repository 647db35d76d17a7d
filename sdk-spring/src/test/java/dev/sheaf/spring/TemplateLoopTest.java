// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.Result;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/** What a loop over plain template calls costs, on a server and on a cluster. */
class TemplateLoopTest {

  private static final List<String> KEYS =
      IntStream.range(0, 100).mapToObj(i -> "item:" + i).toList();

  private EmbeddedServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  private void withApplication(boolean cluster, Consumer<AssertableApplicationContext> test) {
    server = cluster ? EmbeddedServer.builder().cluster(3, 0).start() : EmbeddedServer.start();
    String nodes = "127.0.0.1:" + server.port();
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(SheafAutoConfiguration.class, DataRedisAutoConfiguration.class))
        .withPropertyValues(
            cluster
                ? "spring.data.redis.cluster.nodes=" + nodes
                : "spring.data.redis.url=" + server.uri())
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(context);
            });
  }

  private static StringRedisTemplate template(AssertableApplicationContext context) {
    return context.getBean(StringRedisTemplate.class);
  }

  @SuppressWarnings("unchecked")
  private static SheafOperations<String, String> operations(AssertableApplicationContext context) {
    return context.getBean("stringSheafOperations", SheafOperations.class);
  }

  private static void fill(StringRedisTemplate template) {
    KEYS.forEach(key -> template.opsForValue().set(key, "value of " + key));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneChangedLine_readsAPageInAFewRoundTrips(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          StringRedisTemplate template = template(context);
          fill(template);
          server.resetStats();

          List<String> values = new ArrayList<>();
          for (String key : operations(context).loop(KEYS)) {
            values.add(template.opsForValue().get(key));
          }

          assertThat(values).isEqualTo(KEYS.stream().map(key -> "value of " + key).toList());
          // Windows of 16, 64 and 20 keys, each of which may reach a node in two pieces.
          assertThat(server.stats().readBatches()).isLessThanOrEqualTo(cluster ? 18 : 6);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWriteInTheLoop_isSeenByTheNextGet(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          StringRedisTemplate template = template(context);
          fill(template);

          List<String> values = new ArrayList<>();
          for (String key : operations(context).loop(KEYS)) {
            int number = KEYS.indexOf(key);
            if (number % 10 == 0 && number + 1 < KEYS.size()) {
              template.opsForValue().set(KEYS.get(number + 1), "new");
            }
            values.add(template.opsForValue().get(key));
          }

          for (int i = 0; i < KEYS.size(); i++) {
            assertThat(values.get(i)).isEqualTo(i % 10 == 1 ? "new" : "value of item:" + i);
          }
        });
  }

  /** An interrupt is the failure that comes for certain, whatever the machine does beside. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatFailsInALoop_isSpringsExceptionAsWithoutTheLoop(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          StringRedisTemplate template = template(context);
          fill(template);
          RedisCallback<byte[]> rawGet =
              redis -> redis.stringCommands().get(KEYS.get(0).getBytes(UTF_8));
          for (ThrowingCallable get :
              List.<ThrowingCallable>of(
                  () -> template.opsForValue().get(KEYS.get(0)), () -> template.execute(rawGet))) {
            for (String key : operations(context).loop(KEYS)) {
              Throwable thrown = interrupted(get);
              assertThat(thrown)
                  .as(key)
                  .isInstanceOf(RedisSystemException.class)
                  .hasCauseInstanceOf(RedisCommandInterruptedException.class);
              break;
            }
          }
        });
  }

  private static Throwable interrupted(ThrowingCallable call) {
    Thread.currentThread().interrupt();
    try {
      return catchThrowable(call);
    } finally {
      Thread.interrupted();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void inAPipeline_nothingIsReadAhead(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          StringRedisTemplate template = template(context);
          fill(template);
          List<Object> expected =
              new ArrayList<>(KEYS.stream().map(key -> "value of " + key).toList());

          List<Object> values =
              template.executePipelined(
                  new SessionCallback<Object>() {
                    @Override
                    @SuppressWarnings("unchecked")
                    public <K, V> Object execute(RedisOperations<K, V> pipelined)
                        throws DataAccessException {
                      for (String key : operations(context).loop(KEYS)) {
                        assertThat(pipelined.opsForValue().get(key)).isNull();
                      }
                      return null;
                    }
                  });

          assertThat(values).isEqualTo(expected);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void objects_loopByTheTemplateThatSerializesThem(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          @SuppressWarnings("unchecked")
          RedisTemplate<Object, Object> template =
              context.getBean("redisTemplate", RedisTemplate.class);
          SheafOperations<Object, Object> operations = SheafOperations.over(template);
          List<Object> keys = List.of(1, 2, 3, 4, 5, 6, 7, 8);
          keys.forEach(key -> template.opsForValue().set(key, List.of(key)));
          server.resetStats();

          List<Object> values = new ArrayList<>();
          for (Object key : operations.loop(keys)) {
            values.add(template.opsForValue().get(key));
          }

          assertThat(values).isEqualTo(keys.stream().map(List::of).toList());
          assertThat(server.stats().readBatches()).isLessThanOrEqualTo(cluster ? 3 : 1);
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void manyKeys_areReadWrittenAndDeletedAtOnce(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          SheafOperations<String, String> operations = operations(context);
          Map<String, String> values = new LinkedHashMap<>();
          KEYS.forEach(key -> values.put(key, "value of " + key));

          assertThat(operations.setAll(values).values())
              .allSatisfy(result -> assertThat(result).isEqualTo(new Result.Value<>(true)));
          List<String> asked = new ArrayList<>(KEYS);
          asked.add("none");
          Map<String, Result<String>> read = operations.getAll(asked);
          assertThat(read.keySet()).containsExactlyElementsOf(asked);
          assertThat(read.get("item:7")).isEqualTo(new Result.Value<>("value of item:7"));
          assertThat(read.get("none")).isEqualTo(new Result.Absent<>());
          assertThat(template(context).opsForValue().get("item:8")).isEqualTo("value of item:8");

          Map<String, Result<Boolean>> deleted = operations.deleteAll(asked);
          assertThat(deleted.get("item:7")).isEqualTo(new Result.Value<>(true));
          assertThat(deleted.get("none")).isEqualTo(new Result.Absent<>());
          assertThat(template(context).hasKey("item:8")).isFalse();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aValueThatCannotBeDeserialized_failsForItsKeyAlone(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          @SuppressWarnings("unchecked")
          RedisTemplate<Object, Object> objects =
              context.getBean("redisTemplate", RedisTemplate.class);
          RedisTemplate<String, Object> template = new RedisTemplate<>();
          template.setConnectionFactory(objects.getConnectionFactory());
          template.setKeySerializer(RedisSerializer.string());
          template.afterPropertiesSet();
          template.opsForValue().set("good", 1);
          template(context).opsForValue().set("bad", "not serialized by Java");

          Map<String, Result<Object>> read =
              SheafOperations.over(template).getAll(List.of("bad", "good"));

          assertThat(read.get("good")).isEqualTo(new Result.Value<Object>(1));
          assertThat(read.get("bad").isFailure()).isTrue();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void batch_sendsAtOnceAndDecodesWithTheTemplate(boolean cluster) {
    withApplication(
        cluster,
        context -> {
          template(context).opsForValue().set("a", "1");
          try (TemplateBatch<String, String> batch = operations(context).batch()) {
            var a = batch.get("a");
            var b = batch.set("b", "2", Duration.ofMinutes(1));
            var none = batch.get("none");
            var deleted = batch.delete("a");
            assertThat(a.get()).isEqualTo("1");
            assertThat(b.get()).isEqualTo("OK");
            assertThat(none.get()).isNull();
            assertThat(deleted.get()).isEqualTo(1);
          }
          assertThat(template(context).opsForValue().get("b")).isEqualTo("2");
          assertThat(template(context).getExpire("b")).isPositive();
        });
  }
}
