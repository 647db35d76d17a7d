// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class RepliesTest {

  /** A reply that is read as soon as a thread waits for it again. */
  private static final class Unread extends CompletableFuture<String> {

    private boolean timedOut;

    @Override
    public String get(long timeout, TimeUnit unit) throws TimeoutException {
      if (timedOut && timeout > 0) {
        return "reply";
      }
      timedOut = true;
      throw new TimeoutException();
    }
  }

  @Test
  void threadThatWakesLongAfterItsDeadline_waitsForRepliesThatAreNotReadYet() throws Exception {
    long deadline = System.nanoTime() - Duration.ofSeconds(2).toNanos();
    assertThat(Replies.get(new Unread(), deadline)).isEqualTo("reply");
  }

  @Test
  void threadThatWakesAtItsDeadline_waitsNoLonger() {
    long deadline = System.nanoTime() + Duration.ofHours(1).toNanos();
    assertThatThrownBy(() -> Replies.get(new Unread(), deadline))
        .isInstanceOf(TimeoutException.class);
  }
}
