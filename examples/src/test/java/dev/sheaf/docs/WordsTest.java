// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A guide is read in five minutes, and all guides in an hour. */
class WordsTest {

  private static final Path GUIDES = Pages.ROOT.resolve("docs/guide");
  private static final int MOST_WORDS = 900;
  private static final int MOST_WORDS_IN_ALL = 15_000;

  @Test
  void guides_areShort() throws IOException {
    Map<String, Integer> words = new TreeMap<>();
    for (Path page : Pages.all()) {
      if (page.startsWith(GUIDES)) {
        words.put(
            GUIDES.relativize(page).toString(),
            Files.readString(page).strip().split("\\s+").length);
      }
    }

    assertThat(words)
        .isNotEmpty()
        .allSatisfy((page, count) -> assertThat(count).as(page).isLessThanOrEqualTo(MOST_WORDS));
    assertThat(words.values().stream().mapToInt(Integer::intValue).sum())
        .isLessThanOrEqualTo(MOST_WORDS_IN_ALL);
  }
}
