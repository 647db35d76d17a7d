// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.LoopReport.Learned;
import dev.sheaf.Sheaf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

  @Autowired ItemRepository items;

  @Autowired ShopApplication.Prices prices;

  /** By command; the tests share a client. */
  private Map<String, Long> hits() {
    Map<String, Long> hits = new TreeMap<>();
    for (LoopReport report : sheaf.loops()) {
      Learned learned = report.learned();
      if (learned != null) {
        hits.merge(report.command(), learned.hits(), Long::sum);
      }
    }
    return hits;
  }

  @Test
  void loopsOfTemplates_areReadAhead() {
    for (int i = 0; i < ITEMS; i++) {
      strings.opsForSet().add("cart", "id" + 7 * i);
      strings.opsForValue().set("item:id" + 7 * i, "value" + i);
      strings.opsForHash().put("hash:id" + 7 * i, "name", "name" + i);
    }
    Map<String, Long> before = hits();
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
    Map<String, Long> gained = new TreeMap<>(hits());
    before.forEach((command, hits) -> gained.merge(command, -hits, Long::sum));
    assertThat(gained)
        .isEqualTo(
            Map.of(
                "GET", ITEMS - 1L,
                "HGETALL", ITEMS - 1L,
                "HGET", ITEMS - 1L,
                "EXISTS", 2 * (ITEMS - 1L),
                "TTL", ITEMS - 1L));
  }

  @Test
  void keysThatJavaSerializes_areReadAhead() {
    for (int i = 0; i < ITEMS; i++) {
      objects.opsForSet().add("objects", "id" + 7 * i);
      objects.opsForValue().set("object:" + "x".repeat(i % 3) + "id" + 7 * i, i);
    }
    long before = hits().getOrDefault("GET", 0L);
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
    assertThat(hits().getOrDefault("GET", 0L) - before).isGreaterThanOrEqualTo(ITEMS - 1);
  }

  @Test
  void cachedMethods_areReadAhead() {
    for (int i = 0; i < ITEMS; i++) {
      strings.opsForSet().add("priced", "cached" + 7 * i);
    }
    long before = hits().getOrDefault("GET", 0L);
    for (int round = 0; round < 5; round++) {
      for (String id : strings.opsForSet().members("priced")) {
        assertThat(prices.of(id)).isEqualTo("price of " + id);
      }
    }
    assertThat(hits().getOrDefault("GET", 0L) - before).isGreaterThanOrEqualTo(ITEMS - 1);
  }

  @Test
  void repositories_readTheirHashesAhead() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      ids.add("number" + 7 * i);
      items.save(new Item(ids.get(i), "name" + i, i));
    }
    for (String method : List.of("findAllById", "SMEMBERS")) {
      for (int round = 0; round < 5; round++) {
        List<Item> found = new ArrayList<>();
        (method.equals("SMEMBERS") ? items.findAll() : items.findAllById(ids)).forEach(found::add);
        assertThat(found).extracting(Item::id).containsExactlyInAnyOrderElementsOf(ids);
      }
      assertThat(sheaf.loops())
          .extracting(LoopReport::learned)
          .filteredOn(learned -> learned != null && learned.keys().endsWith(method))
          .extracting(Learned::hits)
          .anyMatch(hits -> hits >= 2 * (ITEMS - 1));
    }
  }
}
