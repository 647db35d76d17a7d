// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LearnedSkipsTest {

  @Test
  void valuesThatDoNotCompress_areSkipped_untilAProbeSucceeds() {
    LearnedSkips skips = new LearnedSkips();
    int cell = cell("image:1");
    for (int i = 0; i < LearnedSkips.FAILURES_TO_SKIP; i++) {
      assertThat(skips.skip(cell)).isFalse();
      skips.didNotCompress(cell);
    }
    int skipped = 0;
    while (skips.skip(cell)) {
      skipped++;
    }
    assertThat(skipped).isEqualTo(LearnedSkips.PROBE_INTERVAL - 1);
    skips.didNotCompress(cell);
    assertThat(skips.skip(cell)).isTrue();
    skips.compressed(cell);
    assertThat(skips.skip(cell)).isFalse();
  }

  @Test
  void keysThatBeginAlike_shareWhatIsLearned_othersDoNot() {
    assertThat(cell("image:1")).isEqualTo(cell("image:2")).isNotEqualTo(cell("page:1"));
    assertThat(cell("a/b/1")).isEqualTo(cell("a/b/2")).isNotEqualTo(cell("a/c/1"));
    assertThat(cell("image1")).isEqualTo(cell("image22")).isNotEqualTo(cell("page1"));
  }

  private static int cell(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return LearnedSkips.cell(bytes, 0, bytes.length);
  }
}
