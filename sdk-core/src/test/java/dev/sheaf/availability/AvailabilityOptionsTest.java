package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the options of the guard refuse, they name. */
class AvailabilityOptionsTest {

  private static final AvailabilityOptions DEFAULTS = AvailabilityOptions.defaults();

  private static void refuses(Supplier<?> options, String... parts) {
    assertThatThrownBy(options::get)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  @Test
  void optionsOutOfRange_areNamedWithTheirValue() {
    refuses(() -> DEFAULTS.withTimeout(Duration.ZERO), "timeout", "PT0S");
    refuses(() -> DEFAULTS.withMaxAge(Duration.ofSeconds(-1)), "maxAge", "PT-1S");
    refuses(() -> DEFAULTS.withRefreshAfter(Duration.ZERO), "refreshAfter");
    refuses(
        () -> DEFAULTS.withDownAfter(Duration.ofMillis(199)), "downAfter", "PT0.199S", "PT0.2S");
    refuses(() -> DEFAULTS.withInterval(Duration.ofDays(2), 0), "interval", "PT48H");
    refuses(() -> DEFAULTS.withInterval(Duration.ofSeconds(1), 0.95), "jitter", "0.95");
    refuses(() -> DEFAULTS.withInterval(Duration.ofSeconds(1), Double.NaN), "jitter", "NaN");
    refuses(() -> DEFAULTS.withHysteresis(0, 1), "slowAnswers", "0");
    refuses(() -> DEFAULTS.withHysteresis(1, 0), "goodAnswers", "0");
    refuses(() -> DEFAULTS.withMinPingSpacing(Duration.ofMillis(-1)), "minPingSpacing");
  }

  @Test
  void boundaries_areAllowed() {
    assertThatCode(
            () -> {
              AvailabilityOptions same =
                  DEFAULTS
                      .withMaxAge(Duration.ZERO)
                      .withDownAfter(DEFAULTS.timeout())
                      .withInterval(Duration.ofMillis(1), 0.9)
                      .withMinPingSpacing(Duration.ZERO)
                      .withHysteresis(1, 1);
              assertThat(same.timeout()).isEqualTo(DEFAULTS.timeout());
            })
        .doesNotThrowAnyException();
  }

  @Test
  void timeout_bringsWhatDependsOnItAlong() {
    AvailabilityOptions options = DEFAULTS.withTimeout(Duration.ofSeconds(1));
    assertThat(options.refreshAfter()).isEqualTo(Duration.ofMillis(500));
    assertThat(options.downAfter()).isEqualTo(Duration.ofMillis(1250));
    assertThat(DEFAULTS.withTimeout(DEFAULTS.timeout())).isEqualTo(DEFAULTS);
  }
}
