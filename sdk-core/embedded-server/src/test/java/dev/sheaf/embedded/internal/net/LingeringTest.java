// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import static dev.sheaf.embedded.internal.net.Lingering.LOOKS_PER_SELECT;
import static dev.sheaf.embedded.internal.net.Lingering.MOST_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LingeringTest {
  private static final int SELECTED = 7;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
  private final Lingering lingering = new Lingering(now::get, true);

  private int next() throws Exception {
    return lingering.calculateStrategy(() -> SELECTED, false);
  }

  private void call(Lingering at) {
    at.called();
    at.served();
  }

  @Test
  void loop_sleepsUntilAClientComesBackSoon() throws Exception {
    assertThat(next()).isEqualTo(SelectStrategy.SELECT);
    call(lingering);
    assertThat(next()).isEqualTo(SelectStrategy.SELECT);
    now.addAndGet(MOST_NANOS - 1);
    call(lingering);
    assertThat(next()).isEqualTo(SelectStrategy.CONTINUE);
  }

  @Test
  void oneMomentInVain_endsIt() throws Exception {
    call(lingering);
    call(lingering);
    now.addAndGet(MOST_NANOS - 1);
    assertThat(next()).isEqualTo(SelectStrategy.CONTINUE);
    now.addAndGet(1);
    assertThat(next()).isEqualTo(SelectStrategy.SELECT);
    call(lingering);
    assertThat(next()).isEqualTo(SelectStrategy.SELECT);
  }

  @Test
  void socketsOfOthers_areLookedAtMeanwhile() throws Exception {
    call(lingering);
    call(lingering);
    int looks = 0;
    while (next() == SelectStrategy.CONTINUE) {
      looks++;
    }
    assertThat(looks).isEqualTo(LOOKS_PER_SELECT - 1);
  }

  @Test
  void tasks_areNeverWaitedFor() throws Exception {
    assertThat(lingering.calculateStrategy(() -> SELECTED, true)).isEqualTo(SELECTED);
  }

  @Test
  void aSingleCore_isLeftToTheCaller() throws Exception {
    Lingering alone = new Lingering(now::get, false);
    call(alone);
    call(alone);
    assertThat(alone.calculateStrategy(() -> SELECTED, false)).isEqualTo(SelectStrategy.SELECT);
  }
}
