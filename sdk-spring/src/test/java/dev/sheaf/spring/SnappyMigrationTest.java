// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.inspector.Inspector;
import dev.sheaf.spring.autoconfigure.SheafAutoConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.data.redis.serializer.SerializationException;
import org.xerial.snappy.Snappy;

/** The code of docs/migrate/from-snappy-redis-serializer.md, and each step on the way. */
class SnappyMigrationTest {

  private static final String KEY = "page:1";
  private static final String PAGE = "{\"text\":\"all work and no play\"} ".repeat(100);

  private static EmbeddedServer server;

  /** What many applications have written for themselves. */
  static final class SnappyRedisSerializer implements RedisSerializer<Object> {
    private final RedisSerializer<Object> inner;

    SnappyRedisSerializer(RedisSerializer<Object> inner) {
      this.inner = inner;
    }

    @Override
    public byte[] serialize(@Nullable Object value) {
      try {
        return Snappy.compress(inner.serialize(value));
      } catch (IOException e) {
        throw new SerializationException("Cannot compress", e);
      }
    }

    @Override
    public @Nullable Object deserialize(byte @Nullable [] stored) {
      try {
        return stored == null ? null : inner.deserialize(Snappy.uncompress(stored));
      } catch (IOException e) {
        throw new SerializationException("Cannot decompress", e);
      }
    }
  }

  static final class BothFormsSerializer implements RedisSerializer<Object> {
    private final RedisSerializer<Object> inner;
    private final boolean writeSnappy;

    BothFormsSerializer(RedisSerializer<Object> inner, boolean writeSnappy) {
      this.inner = inner;
      this.writeSnappy = writeSnappy;
    }

    @Override
    public byte[] serialize(@Nullable Object value) {
      try {
        byte[] plain = inner.serialize(value);
        return writeSnappy ? Snappy.compress(plain) : plain;
      } catch (IOException e) {
        throw new SerializationException("Cannot compress", e);
      }
    }

    @Override
    public @Nullable Object deserialize(byte @Nullable [] stored) {
      try {
        if (stored == null) {
          return null;
        }
        return inner.deserialize(
            Snappy.isValidCompressedBuffer(stored) ? Snappy.uncompress(stored) : stored);
      } catch (IOException e) {
        throw new SerializationException("Cannot decompress", e);
      }
    }
  }

  @BeforeAll
  static void start() {
    server = EmbeddedServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void with(
      String mode,
      RedisSerializer<Object> serializer,
      Consumer<RedisTemplate<Object, Object>> test) {
    new ApplicationContextRunner()
        .withPropertyValues(
            "spring.data.redis.url=" + server.uri(), "sheaf.compression.mode=" + mode)
        .withConfiguration(
            AutoConfigurations.of(SheafAutoConfiguration.class, DataRedisAutoConfiguration.class))
        .run(
            context -> {
              RedisTemplate<Object, Object> template = new RedisTemplate<>();
              template.setConnectionFactory(context.getBean(RedisConnectionFactory.class));
              template.setKeySerializer(RedisSerializer.string());
              template.setValueSerializer(serializer);
              template.afterPropertiesSet();
              test.accept(template);
            });
  }

  /** Each step reads what the one before has written, and the other way round. */
  @Test
  void steps_readEachOther() {
    RedisSerializer<Object> java = RedisSerializer.java();
    record Step(String mode, RedisSerializer<Object> serializer) {}
    Step[] steps = {
      new Step("off", new SnappyRedisSerializer(java)),
      new Step("read_only", new BothFormsSerializer(java, true)),
      new Step("on", new BothFormsSerializer(java, false)),
      new Step("on", java),
    };
    for (int i = 0; i + 1 < steps.length; i++) {
      Step step = steps[i];
      Step next = steps[i + 1];
      with(step.mode(), step.serializer(), template -> template.opsForValue().set(KEY, PAGE));
      with(
          next.mode(),
          next.serializer(),
          template -> {
            assertThat(template.opsForValue().get(KEY)).isEqualTo(PAGE);
            template.opsForValue().set(KEY, PAGE);
          });
      with(
          step.mode(),
          step.serializer(),
          template -> assertThat(template.opsForValue().get(KEY)).isEqualTo(PAGE));
    }
  }

  @Test
  void plainForms_areNoSnappyBlocks() throws IOException {
    for (String json : new String[] {"{}", "{\"a\":1}", "[]", "[1]", "[{\"a\":1}]", PAGE}) {
      assertThat(Snappy.isValidCompressedBuffer(json.getBytes(StandardCharsets.UTF_8)))
          .as(json)
          .isFalse();
    }
    assertThat(Snappy.isValidCompressedBuffer(RedisSerializer.java().serialize(PAGE))).isFalse();
  }

  /** What the page says of the stored form. */
  @Test
  void lastForm_isTheEnvelope_andNoLonger() {
    with("on", RedisSerializer.java(), template -> template.opsForValue().set(KEY, PAGE));
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(Inspector.of(sheaf).inspect(KEY).values().get(0).form().name()).isEqualTo("SHEAF");
    }
  }
}
