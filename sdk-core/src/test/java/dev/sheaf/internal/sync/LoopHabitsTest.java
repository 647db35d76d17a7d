// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopHabitsTest {

  private final LoopHabits habits = new LoopHabits();

  @Test
  void nothingIsKnown_beginsCautiously() {
    assertThat(habits.firstWindowKeys()).isEqualTo(LoopHabits.CAUTIOUS_KEYS);
  }

  @Test
  void loopsEnd_beginsWithAPage() {
    habits.begun();
    habits.ended();
    assertThat(habits.firstWindowKeys()).isEqualTo(LoopHabits.TRUSTING_KEYS);
  }

  @Test
  void everyOtherLoopIsLeft_goesOnTrusting_butNotIfMoreAre() {
    habits.begun();
    habits.ended();
    for (int i = 0; i < 1_000; i++) {
      habits.begun();
      habits.begun();
      habits.ended();
    }
    assertThat(habits.firstWindowKeys()).isEqualTo(LoopHabits.TRUSTING_KEYS);
    for (int i = 0; i < 1_000; i++) {
      habits.begun();
      habits.begun();
      habits.begun();
      habits.ended();
    }
    habits.begun();
    habits.begun();
    assertThat(habits.firstWindowKeys()).isEqualTo(LoopHabits.CAUTIOUS_KEYS);
  }

  @Test
  void longTrust_isLostWithinALimitedNumberOfLoops() {
    for (int i = 0; i < 1_000; i++) {
      habits.ended();
    }
    for (int i = 0; i < 64; i++) {
      habits.begun();
    }
    assertThat(habits.firstWindowKeys()).isEqualTo(LoopHabits.CAUTIOUS_KEYS);
  }

  @Test
  void largeValues_makeTheFirstWindowSmall_atOnce_andSlowlyLargerAgain() {
    habits.ended();
    habits.observe(256 << 10);
    assertThat(habits.firstWindowKeys()).isEqualTo(4);
    habits.observe(100);
    assertThat(habits.firstWindowKeys()).isEqualTo(4);
    for (int i = 0; i < 60; i++) {
      habits.observe(100);
    }
    assertThat(habits.firstWindowKeys()).isEqualTo(LoopHabits.TRUSTING_KEYS);
  }

  @Test
  void hugeValues_areReadOneByOne() {
    habits.ended();
    habits.observe(64 << 20);
    assertThat(habits.firstWindowKeys()).isEqualTo(1);
  }
}
