package dev.sheaf.readthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the options of read-throughs refuse, they name. */
class ReadThroughOptionsTest {

  private static final ReadThroughOptions<String> READS = ReadThroughOptions.defaults();

  private static void refuses(Supplier<?> options, String... parts) {
    assertThatThrownBy(options::get)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  @Test
  void optionsOutOfRange_areNamedWithTheirValue() {
    refuses(() -> READS.withReadTimeout(Duration.ZERO), "readTimeout");
    refuses(() -> READS.withTtlJitter(0.6), "ttlJitter", "0.6");
    refuses(() -> READS.withLimits(0, 1), "maxLoads", "0");
    refuses(() -> READS.withLimits(1, 0), "maxPendingWrites", "0");
    refuses(() -> READS.withNegativeCaching("", Duration.ZERO), "absentTtl");
    refuses(() -> READS.withEarlyRefresh(-1), "earlyRefresh", "-1");
  }
}
