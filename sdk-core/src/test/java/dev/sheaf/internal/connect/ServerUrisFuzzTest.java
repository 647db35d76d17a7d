// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Parts of URIs in any order, with any characters between them: read, or said to be wrong. */
class ServerUrisFuzzTest {

  private static final int INPUTS = Integer.getInteger("sheaf.fuzz.inputs", 100_000);
  private static final long SEED = Long.getLong("sheaf.fuzz.seed", 1);
  private static final String[] PARTS = {
    "redis",
    "rediss",
    "redis-sentinel",
    "redis+socket",
    "://",
    "user",
    ":",
    "@",
    "host",
    "[::1]",
    "6379",
    "65536",
    "/",
    "0",
    "?",
    "timeout=",
    "10s",
    "&",
    "database=",
    "=",
    ",",
    "#",
    "%",
    "%zz",
    "%2f",
    "sentinelMasterId=",
    "verifyPeer=",
    "FULL",
    "\u00e4",
    " ",
    "\0",
    "99999999999999999999"
  };

  @Test
  void anyText_isRead_orSaidToBeWrong() {
    int read = 0;
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "" : "redis://");
      for (int parts = random.nextInt(12); parts > 0; parts--) {
        text.append(
            random.nextInt(20) == 0
                ? String.valueOf((char) random.nextInt(0x3000))
                : PARTS[random.nextInt(PARTS.length)]);
      }
      try {
        read += ServerUris.parse(text.toString()).isEmpty() ? 0 : 1;
      } catch (IllegalArgumentException wrong) {
        assertThat(wrong.getMessage()).isNotBlank();
      } catch (RuntimeException e) {
        fail("Seed " + (SEED + i) + ", " + text + ", ends with " + e, e);
      }
    }
    assertThat(read).isPositive();
  }
}
