// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.scripts.ResultType;
import dev.sheaf.scripts.ScatterException;
import dev.sheaf.scripts.ScriptLibrary;
import dev.sheaf.scripts.Scripts;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The tables of the guide are those of the code. */
class ScriptsGuideTest {

  private static final Pattern ROW =
      Pattern.compile("^\\| `([\\w.]+)` \\| ([^|]*?) \\|", Pattern.MULTILINE);

  @Test
  void tableOfTheLibrary_namesEachScript() throws IOException {
    assertThat(rows("The library").keySet()).isEqualTo(constants(ScriptLibrary.class));
  }

  @Test
  void tableOfResults_namesEachType() throws IOException {
    assertThat(rows("What a script is").keySet()).isEqualTo(constants(ResultType.class));
  }

  @Test
  void numbersInTheText_areThoseOfTheCode() throws IOException {
    assertThat(text("scripts"))
        .contains(String.format(Locale.ROOT, "at most %,d", Scripts.MAX_REGISTERED));
    assertThat(text("scatter"))
        .contains("After " + ScatterException.MAX_FAILURES + " failed slices");
  }

  private static Set<String> constants(Class<?> type) {
    return Arrays.stream(type.getFields())
        .filter(field -> Modifier.isStatic(field.getModifiers()))
        .map(Field::getName)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Map<String, String> rows(String heading) throws IOException {
    String guide = Files.readString(page("scripts"));
    int start = guide.indexOf("\n## " + heading);
    int end = guide.indexOf("\n## ", start + 1);
    Map<String, String> rows = new LinkedHashMap<>();
    Matcher matcher = ROW.matcher(guide.substring(start, end < 0 ? guide.length() : end));
    while (matcher.find()) {
      rows.put(matcher.group(1), matcher.group(2));
    }
    return rows;
  }

  /** However its lines are broken. */
  private static String text(String name) throws IOException {
    return Files.readString(page(name)).replaceAll("\\s+", " ");
  }

  private static Path page(String name) {
    return Path.of("..", "docs", "guide", name + ".md");
  }
}
