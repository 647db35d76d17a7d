// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;
import dev.sheaf.spring.autoconfigure.DictionaryOptionsBuilderCustomizer;
import dev.sheaf.spring.cache.CacheableAll;
import dev.sheaf.spring.cache.SheafCaches;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The table of properties in the reference of options is that of the generated metadata. */
class SpringGuideTest {

  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `(sheaf\\.[a-z.\\-]+)` \\| ([^|]*) \\| ([^|]+) \\|$", Pattern.MULTILINE);

  private static final Pattern SETTING =
      Pattern.compile("(?:^|`| )(sheaf\\.[a-z.\\-\\[\\]0-9]+)=", Pattern.MULTILINE);

  /** Properties of the admin page, which has a guide of its own. */
  private static final String ADMIN = "sheaf.admin.";

  private record Row(String defaultValue, String description) {}

  @Test
  void tableOfProperties_isThatOfTheMetadata() throws Exception {
    JSONArray properties =
        new JSONObject(
                new ClassPathResource("META-INF/spring-configuration-metadata.json")
                    .getContentAsString(java.nio.charset.StandardCharsets.UTF_8))
            .getJSONArray("properties");
    Map<String, Row> expected = new TreeMap<>();
    for (int i = 0; i < properties.length(); i++) {
      JSONObject property = properties.getJSONObject(i);
      String name = property.getString("name");
      if (name.startsWith("sheaf.") && !name.startsWith(ADMIN)) {
        expected.put(
            name,
            new Row(defaultOf(property), property.getString("description").replaceAll("\\.$", "")));
      }
    }

    Map<String, Row> documented = new TreeMap<>();
    Matcher rows = ROW.matcher(Files.readString(Path.of("..", "docs", "reference", "options.md")));
    while (rows.find()) {
      documented.put(rows.group(1), new Row(rows.group(2).strip(), rows.group(3)));
    }
    assertThat(documented).isEqualTo(expected);
  }

  private static String defaultOf(JSONObject property) throws JSONException {
    JSONArray values = property.optJSONArray("defaultValue");
    return values == null
        ? property.optString("defaultValue")
        : values.join(", ").replace("\"", "");
  }

  /** What a page sets with an equals sign is a property that there is. */
  @Test
  void propertiesOnThePages_exist() throws Exception {
    Set<String> known = new TreeSet<>();
    JSONArray properties =
        new JSONObject(
                new ClassPathResource("META-INF/spring-configuration-metadata.json")
                    .getContentAsString(java.nio.charset.StandardCharsets.UTF_8))
            .getJSONArray("properties");
    for (int i = 0; i < properties.length(); i++) {
      known.add(properties.getJSONObject(i).getString("name"));
    }
    Set<String> named = new TreeSet<>();
    try (Stream<Path> pages = Files.walk(Path.of("..", "docs"))) {
      for (Path page : pages.filter(path -> path.toString().endsWith(".md")).toList()) {
        SETTING
            .matcher(Files.readString(page))
            .results()
            .forEach(setting -> named.add(setting.group(1)));
      }
    }
    assertThat(named).hasSizeGreaterThan(8);
    named.removeIf(name -> name.startsWith("sheaf.compression.policies["));
    assertThat(known).containsAll(named);
  }

  /** The code of the page, which has to compile. */
  static final class Snippets {
    record Item(long id) {}

    interface ItemRepository {
      Map<Long, Item> findAllById(Collection<? extends Long> ids);
    }

    @Autowired StringRedisTemplate redis;
    @Autowired SheafOperations<String, String> operations;

    void loop(List<String> keys) {
      for (String key : operations.loop(keys)) { // was: for (String key : keys)
        show(redis.opsForValue().get(key)); // as it was
      }
    }

    private static void show(String value) {
      assertThat(value).isNotNull();
    }

    Map<Long, Item> page(SheafCaches caches, List<Long> ids, ItemRepository repository) {
      Map<Long, Item> page =
          caches.getAll("items", ids, missing -> repository.findAllById(missing)); // SheafCaches

      return page;
    }

    static class Items {
      private final ItemRepository repository;

      Items(ItemRepository repository) {
        this.repository = repository;
      }

      @CacheableAll("items") // of package dev.sheaf.spring.cache
      public Map<Long, Item> find(Collection<Long> ids) { // called with those that are not cached
        return repository.findAllById(ids);
      }
    }

    static class Privacy {
      @Bean
      DictionaryOptionsBuilderCustomizer withoutNames() {
        return builder -> builder.redact(value -> withoutNames(value)); // null leaves the value out
      }

      private static byte[] withoutNames(byte[] value) {
        return value;
      }
    }

    public interface Stock {
      @LuaScript("classpath:lua/take.lua")
      long take(@Keys List<String> items, @Arg long amount);
    }
  }
}
