// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the options of read-throughs refuse, they name. */
class ReadThroughOptionsTest {

  private static void refuses(
      UnaryOperator<ReadThroughOptions.Builder<String>> change, String... parts) {
    assertThatThrownBy(change.apply(ReadThroughOptions.builder())::build)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  @Test
  void optionsOutOfRange_areNamedWithTheirValue() {
    refuses(it -> it.readTimeout(Duration.ZERO), "readTimeout");
    refuses(it -> it.ttlJitter(0.6), "ttlJitter", "0.6");
    refuses(it -> it.maxLoadWait(Duration.ZERO), "maxLoadWait", "PT0S");
    refuses(it -> it.absentTtl(Duration.ZERO), "absentTtl");
  }
}
