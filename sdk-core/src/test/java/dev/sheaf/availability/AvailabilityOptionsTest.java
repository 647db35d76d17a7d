// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the options of the guard refuse, they name. */
class AvailabilityOptionsTest {

  private static void refuses(UnaryOperator<AvailabilityOptions.Builder> change, String... parts) {
    assertThatThrownBy(change.apply(AvailabilityOptions.builder())::build)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  @Test
  void optionsOutOfRange_areNamedWithTheirValue() {
    refuses(it -> it.timeout(Duration.ZERO), "timeout", "PT0S");
    refuses(it -> it.maxAge(Duration.ofSeconds(-1)), "maxAge", "PT-1S");
    refuses(it -> it.downAfter(Duration.ofMillis(199)), "downAfter", "PT0.199S", "PT0.2S");
    refuses(it -> it.interval(Duration.ofDays(2)), "interval", "PT48H");
  }

  @Test
  void boundaries_areAllowed() {
    AvailabilityOptions same =
        AvailabilityOptions.builder()
            .maxAge(Duration.ZERO)
            .downAfter(AvailabilityOptions.defaults().timeout())
            .interval(Duration.ofMillis(1))
            .build();
    assertThat(same.timeout()).isEqualTo(AvailabilityOptions.defaults().timeout());
  }

  @Test
  void timeout_bringsWhatDependsOnItAlong() {
    AvailabilityOptions options =
        AvailabilityOptions.builder().timeout(Duration.ofSeconds(1)).build();
    assertThat(options.downAfter()).isEqualTo(Duration.ofMillis(1250));
    AvailabilityOptions given =
        AvailabilityOptions.builder()
            .downAfter(Duration.ofSeconds(3))
            .timeout(Duration.ofSeconds(1))
            .build();
    assertThat(given.downAfter()).isEqualTo(Duration.ofSeconds(3));
  }
}
