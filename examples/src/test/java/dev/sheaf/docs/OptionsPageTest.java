// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.SheafBuilder;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.inspector.CleanupOptions;
import dev.sheaf.inspector.InspectionLimits;
import dev.sheaf.inspector.MigrationOptions;
import dev.sheaf.internal.sync.LoopLearning;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.Scripts;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The reference of options: each is there, with the default and the range that the code has. */
class OptionsPageTest {

  private static final String PAGE = "docs/reference/options.md";
  private static final Pattern RANGE = Pattern.compile("(?:from )?([\\d.]+)(?: to ([\\d.]+))?");

  static List<Object> options() {
    CompressionOptions compression = CompressionOptions.defaults();
    return List.of(
        BatchingOptions.defaults(),
        LoopLearning.defaults(),
        AvailabilityOptions.defaults(),
        HealingOptions.defaults(),
        ReadThroughOptions.defaults(),
        compression,
        CompressionPolicy.all(Compressor.snappy()),
        DictionaryOptions.defaults(),
        InspectionLimits.defaults(),
        CleanupOptions.defaults(),
        MigrationOptions.compress(compression, "page:"));
  }

  @ParameterizedTest
  @MethodSource("options")
  void table_hasEachOptionWithItsDefaultAndRange(Object options) throws Exception {
    Map<String, List<String>> rows = rows(options);
    Map<String, Class<?>> types = types(options);
    assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(types.keySet());
    for (String name : types.keySet()) {
      List<String> row = rows.get(name);
      assertThat(row).as("%s", row).hasSize(5);
      checkDefault(row, options.getClass().getMethod(name).invoke(options));
      checkRange(options, name, types.get(name), row);
    }
  }

  /** The options by name: the components of a record, or the setters of a builder. */
  private static Map<String, Class<?>> types(Object options) throws Exception {
    Map<String, Class<?>> types = new LinkedHashMap<>();
    if (options instanceof Record) {
      for (RecordComponent component : options.getClass().getRecordComponents()) {
        types.put(component.getName(), component.getType());
      }
    } else {
      Class<?> builder = options.getClass().getMethod("builder").getReturnType();
      for (Method method : builder.getDeclaredMethods()) {
        if (Modifier.isPublic(method.getModifiers()) && method.getParameterCount() == 1) {
          types.put(method.getName(), method.getParameterTypes()[0]);
        }
      }
    }
    return types;
  }

  private static void checkDefault(List<String> row, Object value) {
    if (value instanceof Duration time) {
      assertThat(row.get(1) + row.get(2)).as("%s", row).isEqualTo(time.toMillis() + "ms");
    } else if (value instanceof Number || value instanceof Boolean) {
      if (!row.get(1).equals("given")) {
        assertThat(row.get(1)).as("%s", row).isEqualTo(String.valueOf(value));
      }
    } else if (value == null || value.equals(List.of())) {
      assertThat(row.get(1)).as("%s", row).isEqualTo("none");
    } else {
      assertThat(row.get(1)).as("%s", row).isIn("given", "nobody", "Snappy for all keys");
    }
  }

  /** Both ends of the range are accepted, and what lies beyond is refused by name. */
  private static void checkRange(Object options, String name, Class<?> type, List<String> row)
      throws Exception {
    Matcher range = RANGE.matcher(row.get(3));
    if (!range.matches()) {
      assertThat(row.get(3))
          .as("%s", row)
          .isIn("any", "true, false", "one for each prefix", "one for each identifier");
      return;
    }
    double low = Double.parseDouble(range.group(1));
    boolean whole = type != double.class;
    double step = whole ? 1 : 0.01;
    with(options, name, type, low);
    refuses(options, name, type, low - step);
    if (range.group(2) != null) {
      double high = Double.parseDouble(range.group(2));
      with(options, name, type, high);
      if (!whole || high < Integer.MAX_VALUE) {
        refuses(options, name, type, high + step);
      }
    }
  }

  private static void refuses(Object options, String name, Class<?> type, double value) {
    assertThatIllegalArgumentException()
        .as("%s = %s", name, value)
        .isThrownBy(() -> with(options, name, type, value))
        .withMessageContaining(name);
  }

  private static void with(Object options, String name, Class<?> type, double number)
      throws Exception {
    Object value =
        type == int.class
            ? (Object) (int) number
            : type == long.class
                ? (Object) (long) number
                : type == Duration.class ? Duration.ofMillis((long) number) : (Object) number;
    try {
      if (options instanceof Record) {
        withComponent(options, name, value);
      } else {
        Object builder = options.getClass().getMethod("builder").invoke(null);
        builder.getClass().getMethod(name, type).invoke(builder, value);
        builder.getClass().getMethod("build").invoke(builder);
      }
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
  }

  private static void withComponent(Object options, String name, Object value) throws Exception {
    Map<String, Class<?>> types = types(options);
    List<Object> values = new ArrayList<>();
    for (String component : types.keySet()) {
      values.add(
          component.equals(name) ? value : options.getClass().getMethod(component).invoke(options));
    }
    Constructor<?> constructor =
        options.getClass().getDeclaredConstructor(types.values().toArray(new Class<?>[0]));
    constructor.newInstance(values.toArray());
  }

  private static Map<String, List<String>> rows(Object options) throws IOException {
    String page = Pages.read(PAGE);
    String name = options.getClass().getSimpleName();
    String text =
        options instanceof CompressionPolicy
            ? page.substring(page.indexOf("Of a `CompressionPolicy`:"))
            : Pages.section(PAGE, options instanceof LoopLearning ? "learnLoops" : name);
    int next = text.indexOf("\n## ");
    String own = next < 0 ? text : text.substring(0, next);
    int policy = own.indexOf("\nOf a `CompressionPolicy`:");
    Map<String, List<String>> rows = new LinkedHashMap<>();
    Pages.rows(policy < 0 ? own : own.substring(0, policy))
        .forEach(row -> rows.put(Pages.code(row.get(0)), row));
    return rows;
  }

  @Test
  void client_hasEachMethodOfTheBuilder() throws IOException {
    Set<String> methods = new TreeSet<>();
    for (Method method : SheafBuilder.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers())
          && !method.isSynthetic()
          && method.getReturnType() == SheafBuilder.class) {
        methods.add(method.getName());
      }
    }
    Set<String> documented = new TreeSet<>();
    for (List<String> row : Pages.rows(Pages.section(PAGE, "The client"))) {
      if (!row.get(0).contains(".")) {
        documented.add(Pages.code(row.get(0)));
      }
    }
    assertThat(documented).isEqualTo(methods);
    assertThat(Pages.section(PAGE, "The client"))
        .contains(
            "| `connectTimeout` | " + SheafBuilder.DEFAULT_CONNECT_TIMEOUT.toSeconds() + " s |");
  }

  @Test
  void fixedLimits_areThoseOfTheCode() throws Exception {
    Map<String, String> documented = new TreeMap<>();
    for (List<String> row : Pages.rows(Pages.section(PAGE, "The client"))) {
      if (row.get(0).contains(".")) {
        documented.put(Pages.code(row.get(0)), row.get(1).split(" ")[0]);
      }
    }
    Map<String, String> expected = new TreeMap<>();
    for (Class<?> type :
        List.of(
            SheafBuilder.class,
            Batch.class,
            ReadThrough.class,
            RegisteredScript.class,
            Scripts.class)) {
      for (var field : type.getFields()) {
        if (field.getType() == int.class) {
          expected.put(
              type.getSimpleName() + "." + field.getName(), String.valueOf(field.get(null)));
        }
      }
    }
    assertThat(documented).isEqualTo(expected);
  }
}
