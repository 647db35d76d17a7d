// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a piece comes out of a pipe, by times that the test names. */
class ProxyPipeTest {

  private static final long HOUR = TimeUnit.HOURS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final EmbeddedChannel sink = new EmbeddedChannel();
  private final ProxyScheduler scheduler = new ProxyScheduler(sink.eventLoop());

  @AfterEach
  void stop() throws Exception {
    scheduler.stop();
    scheduler.thread.join();
    sink.finishAndReleaseAll();
  }

  @Test
  void link_addsItsDelay() {
    ProxyLink link = new ProxyLink(3, 0);
    assertThat(link.dueAt(100, 1_000_000)).isEqualTo(103);
    link.delayNanos = 5;
    assertThat(link.dueAt(100, 1)).isEqualTo(105);
  }

  @Test
  void link_boundsTheRateOfAllPiecesTogether() {
    // 2,000,000 bytes a second.
    ProxyLink link = new ProxyLink(7, 16_000_000);
    long later = System.nanoTime() + SECOND;
    assertThat(link.dueAt(later, 200_000)).isEqualTo(later + SECOND / 10 + 7);
    assertThat(link.dueAt(later, 200_000)).isEqualTo(later + 2 * SECOND / 10 + 7);
    assertThat(link.dueAt(later + SECOND / 10, 200_000)).isEqualTo(later + 3 * SECOND / 10 + 7);
    assertThat(link.dueAt(later + SECOND, 200_000))
        .as("idle since")
        .isEqualTo(later + 11 * SECOND / 10 + 7);
  }

  @Test
  void piece_isHeldUntilItIsDue_andDelayLoweredDoesNotReorder() {
    ProxyLink link = new ProxyLink(HOUR, 0);
    long before = System.nanoTime();
    ProxyPipe pipe = pipe(link);
    arrive(pipe, "slow ");
    link.delayNanos = 0;
    arrive(pipe, "fast");
    long after = System.nanoTime();

    assertThat(pipe.releaseDue(before + HOUR - 1)).as("something is left").isTrue();
    assertThat(delivered()).isEmpty();
    assertThat(pipe.releaseDue(after + HOUR)).isFalse();
    assertThat(delivered()).isEqualTo("slow fast");
  }

  @SuppressWarnings("NullAway") // Only the end of a stream needs the connection.
  private ProxyPipe pipe(ProxyLink link) {
    ProxyPipe pipe =
        new ProxyPipe(null, link, scheduler, new ProxyCounters(), bytes -> {}, 1_000_000);
    pipe.sink(sink);
    return pipe;
  }

  private static void arrive(ProxyPipe pipe, String text) {
    pipe.dataArrived(Unpooled.copiedBuffer(text, US_ASCII));
  }

  private String delivered() {
    StringBuilder all = new StringBuilder();
    for (ByteBuf out = sink.readOutbound(); out != null; out = sink.readOutbound()) {
      all.append(out.toString(US_ASCII));
      out.release();
    }
    return all.toString();
  }
}
