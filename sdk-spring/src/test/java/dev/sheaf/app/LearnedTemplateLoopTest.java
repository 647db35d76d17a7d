package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Loops over calls of templates are learned as they are. */
@SpringBootTest(
    classes = ShopApplication.class,
    properties = {"sheaf.loops.learn=true", "sheaf.loops.max-age=30s"})
class LearnedTemplateLoopTest {

  private static final int ITEMS = 50;

  @Autowired StringRedisTemplate strings;

  @Autowired RedisTemplate<Object, Object> objects;

  @Autowired Sheaf<String, String> sheaf;

  private long hits(String command) {
    return sheaf.loops().stream()
        .filter(report -> report.command().equals(command))
        .map(LoopReport::learned)
        .mapToLong(learned -> learned == null ? 0 : learned.hits())
        .sum();
  }

  @Test
  void loopsOfTemplates_areReadAhead() {
    for (int i = 0; i < ITEMS; i++) {
      strings.opsForSet().add("cart", "id" + 7 * i);
      strings.opsForValue().set("item:id" + 7 * i, "value" + i);
      strings.opsForHash().put("hash:id" + 7 * i, "name", "name" + i);
    }
    for (int round = 0; round < 4; round++) {
      for (String id : strings.opsForSet().members("cart")) {
        assertThat(strings.opsForValue().get("item:" + id)).startsWith("value");
      }
      for (String id : strings.opsForSet().members("cart")) {
        assertThat(strings.opsForHash().entries("hash:" + id)).containsKey("name");
      }
      for (String id : strings.opsForSet().members("cart")) {
        assertThat(strings.opsForHash().get("hash:" + id, "name")).asString().startsWith("name");
      }
      for (String id : strings.opsForSet().members("cart")) {
        assertThat(strings.hasKey("item:" + id)).isTrue();
      }
      for (String id : strings.opsForSet().members("cart")) {
        assertThat(strings.hasKey("none:" + id)).isFalse();
      }
      for (String id : strings.opsForSet().members("cart")) {
        assertThat(strings.getExpire("item:" + id)).isEqualTo(-1);
      }
    }
    assertThat(
            Map.of(
                "GET", hits("GET"),
                "HGETALL", hits("HGETALL"),
                "HGET", hits("HGET"),
                "EXISTS", hits("EXISTS"),
                "TTL", hits("TTL")))
        .isEqualTo(
            Map.of(
                "GET", ITEMS - 2L,
                "HGETALL", ITEMS - 2L,
                "HGET", ITEMS - 2L,
                "EXISTS", 2 * (ITEMS - 2L),
                "TTL", ITEMS - 2L));
  }

  @Test
  void keysThatJavaSerializes_areReadAhead() {
    for (int i = 0; i < ITEMS; i++) {
      objects.opsForSet().add("objects", "id" + 7 * i);
      objects.opsForValue().set("object:" + "x".repeat(i % 3) + "id" + 7 * i, i);
    }
    long before = hits("GET");
    for (int round = 0; round < 5; round++) {
      Set<Object> ids = objects.opsForSet().members("objects");
      for (Object id : ids) {
        int number = Integer.parseInt(id.toString().substring(2)) / 7;
        if (number % 3 == 0) {
          assertThat(objects.opsForValue().get("object:" + id)).isEqualTo(number);
        } else {
          assertThat(objects.opsForValue().get("object:" + "x".repeat(number % 3) + id))
              .isEqualTo(number);
        }
      }
      for (Object id : ids) {
        assertThat(objects.opsForValue().get("missing:" + id)).isNull();
      }
    }
    assertThat(hits("GET") - before).isGreaterThanOrEqualTo(ITEMS - 2);
    assertThat("object:".getBytes(StandardCharsets.UTF_8)).hasSize(7);
  }
}
