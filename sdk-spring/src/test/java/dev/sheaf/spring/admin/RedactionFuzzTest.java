// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sheaf.spring.admin.JsonRedactor.Redacted;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Random documents with a secret in them, random damage to them, and random patterns of keys.
 * {@code -Dsheaf.fuzz.inputs=1000000} sets how many inputs each test takes, {@code
 * -Dsheaf.fuzz.seed} with which one it begins.
 */
class RedactionFuzzTest {

  private static final int INPUTS = Integer.getInteger("sheaf.fuzz.inputs", 50_000);
  private static final long SEED = Long.getLong("sheaf.fuzz.seed", 1);
  private static final String SECRET = "hunter2-4711";
  private static final String[] SPACES = {"", " ", "\n", "\t "};
  private static final NameRules USUAL = new NameRules(NameRules.USUAL_NAMES);
  private static final NameRules NONE = new NameRules(List.of());

  @Test
  void secretInAnyDocument_isReplaced_andTheRestIsJson() {
    for (int i = 0; i < INPUTS; i++) {
      String json = object(new Random(SEED + i), 3, true);
      Redacted redacted = JsonRedactor.redact(json, USUAL);
      if (redacted == null
          || redacted.text().contains(SECRET)
          || JsonRedactor.redact(redacted.text(), NONE) == null) {
        fail("Seed " + (SEED + i) + ": " + json + " becomes " + redacted);
      }
    }
  }

  @Test
  void damagedDocument_isNoJson_orStaysJson() {
    int read = 0;
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      StringBuilder json = new StringBuilder(object(random, 3, true));
      for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
        char other =
            random.nextInt(4) == 0
                ? (char) random.nextInt()
                : "\"\\{}[],:u0".charAt(random.nextInt(10));
        json.setCharAt(random.nextInt(json.length()), other);
      }
      try {
        Redacted redacted = JsonRedactor.redact(json.toString(), USUAL);
        if (redacted != null && JsonRedactor.redact(redacted.text(), NONE) == null) {
          fail("Seed " + (SEED + i) + ": " + json + " becomes " + redacted);
        }
        read += redacted == null ? 0 : 1;
      } catch (RuntimeException | StackOverflowError e) {
        fail("Seed " + (SEED + i) + ": " + json + " ends with " + e, e);
      }
    }
    assertThat(read).isBetween(1, INPUTS - 1);
  }

  private static String object(Random random, int depth, boolean secret) {
    StringBuilder json = new StringBuilder("{").append(space(random));
    int fields = 1 + random.nextInt(4);
    int at = random.nextInt(fields);
    for (int i = 0; i < fields; i++) {
      boolean here = secret && i == at;
      boolean deeper = depth > 0 && random.nextBoolean();
      json.append(i > 0 ? "," : "").append(space(random)).append('"');
      if (here && !deeper) {
        String name = NameRules.USUAL_NAMES.get(random.nextInt(NameRules.USUAL_NAMES.size()));
        json.append(escaped(random, name.replace("*", ""))).append("\":").append(space(random));
        json.append(secret(random));
      } else {
        json.append("field").append(i).append("\":").append(space(random));
        json.append(deeper ? nested(random, depth - 1, here) : random.nextInt());
      }
      json.append(space(random));
    }
    return json.append('}').toString();
  }

  private static String nested(Random random, int depth, boolean secret) {
    String object = object(random, depth, secret);
    return random.nextBoolean() ? object : "[true," + object + ",null]";
  }

  private static String secret(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> "[\"" + SECRET + "\"]";
      case 1 -> "{\"a\":[\"" + SECRET + "\",1]}";
      default -> '"' + SECRET + '"';
    };
  }

  /** A name with some of its characters written as JSON may have them. */
  private static String escaped(Random random, String name) {
    return name.chars()
        .mapToObj(
            c -> random.nextInt(5) == 0 ? String.format("\\u%04x", c) : String.valueOf((char) c))
        .collect(Collectors.joining());
  }

  private static String space(Random random) {
    return SPACES[random.nextInt(SPACES.length)];
  }

  @Test
  void pattern_matchesWhatARegularExpressionDoes() {
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      String pattern = letters(random, "ab:.*");
      String key = letters(random, "ab:.");
      String regex =
          Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
      if (new Glob(pattern).matches(key) != key.matches(regex)) {
        fail("Seed " + (SEED + i) + ": " + pattern + " and " + key);
      }
    }
  }

  private static String letters(Random random, String of) {
    return random
        .ints(random.nextInt(9), 0, of.length())
        .mapToObj(i -> of.substring(i, i + 1))
        .collect(Collectors.joining());
  }
}
