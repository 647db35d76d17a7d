package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Options of the guard and the read-through: what they refuse, they name. */
class AvailabilityOptionsTest {

  private static final AvailabilityOptions DEFAULTS = AvailabilityOptions.defaults();
  private static final ReadThroughOptions<String> READS = ReadThroughOptions.defaults();

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
    refuses(() -> READS.withReadTimeout(Duration.ZERO), "readTimeout");
    refuses(() -> READS.withTtlJitter(0.6), "ttlJitter", "0.6");
    refuses(() -> READS.withLimits(0, 1), "maxLoads", "0");
    refuses(() -> READS.withLimits(1, 0), "maxPendingWrites", "0");
    refuses(() -> READS.withNegativeCaching("", Duration.ZERO), "absentTtl");
    refuses(() -> READS.withEarlyRefresh(-1), "earlyRefresh", "-1");
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

  @Test
  void earlyRefresh_isLikelierNearTheEnd() {
    EarlyRefresh early = new EarlyRefresh(1, new Random(7));
    assertThat(early.isDue(0)).as("before the first load nothing is known").isFalse();
    early.observe(Duration.ofMillis(100).toNanos());
    assertThat(early.isDue(-1)).as("does not expire").isFalse();
    // The chance is exp(-remaining / duration): 37 % one load's time before the end.
    assertThat(share(early, 100)).isBetween(0.35, 0.39);
    assertThat(share(early, 500)).isBetween(0.004, 0.010);
    assertThat(share(early, 0)).isEqualTo(1);
  }

  private static double share(EarlyRefresh early, long remaining) {
    int due = 0;
    for (int i = 0; i < 20_000; i++) {
      due += early.isDue(remaining) ? 1 : 0;
    }
    return due / 20_000.0;
  }
}
