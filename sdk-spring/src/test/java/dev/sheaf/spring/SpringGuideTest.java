package dev.sheaf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;

/** The table of properties in the guide is that of the generated metadata. */
class SpringGuideTest {

  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `(sheaf\\.[a-z.\\-]+)` \\| ([^|]*) \\| ([^|]+) \\|$", Pattern.MULTILINE);

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
            new Row(
                property.optString("defaultValue"),
                property.getString("description").replaceAll("\\.$", "")));
      }
    }

    Map<String, Row> documented = new TreeMap<>();
    Matcher rows = ROW.matcher(Files.readString(Path.of("..", "docs", "guide", "spring.md")));
    while (rows.find()) {
      documented.put(rows.group(1), new Row(rows.group(2).strip(), rows.group(3)));
    }
    assertThat(documented).isEqualTo(expected);
  }
}
