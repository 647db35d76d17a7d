// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoopPlaceTest {

  private static final int LENGTH = 100;

  private final LoopPlace place = new LoopPlace(List.of("App.page"), "GET", "item:*", 25, () -> {});

  private void learn() {
    for (int i = 0; i < LoopPlace.PROOFS; i++) {
      place.ended(LENGTH, LENGTH, true, false);
    }
    assertThat(place.isReadingAhead()).isTrue();
  }

  @Test
  void loopTooSlowForItsWindows_hasSmallerOnes_andDoesNotStop() {
    learn();
    int first = place.windowKeys(1, 1, true);
    for (int i = 0; i < 20; i++) {
      int keys = place.windowKeys(1, 1, true);
      assertThat(place.windowClosed(keys, Math.min(keys, 2), 100, keys > 2)).isFalse();
    }
    assertThat(place.isReadingAhead()).isTrue();
    assertThat(place.windowKeys(1, 1, true)).isLessThan(first).isPositive();
  }

  @Test
  void oneStallOfTheMachine_isOverAfterAFewWindows() {
    learn();
    int first = place.windowKeys(1, 1, true);
    place.windowClosed(first, 2, 100, true);
    int windows = 0;
    while (place.windowKeys(1, 1, true) < LENGTH) {
      int keys = place.windowKeys(1, 1, true);
      place.windowClosed(keys, keys, 100, false);
      windows++;
    }
    assertThat(windows).isLessThanOrEqualTo(12);
  }

  @Test
  void loopTooSlowForASingleKey_stops() {
    learn();
    boolean stopped = false;
    for (int i = 0; i < 100 && !stopped; i++) {
      stopped = place.windowClosed(place.windowKeys(1, 1, true), 0, 100, true);
    }
    assertThat(stopped).isTrue();
    assertThat(place.windowKeys(1, 1, true)).isZero();
  }

  @Test
  void keysThatNobodyAsksFor_stopIt() {
    learn();
    boolean stopped = false;
    for (int i = 0; i < 100 && !stopped; i++) {
      stopped = place.windowClosed(10, 5, 100, false);
    }
    assertThat(stopped).isTrue();
  }

  private final LoopPlace declared = new LoopPlace();

  @Test
  void declaredLoops_beginCautiously_andGrow() {
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(LoopPlace.CAUTIOUS_KEYS - 1);
    assertThat(declared.windowKeys(17, 17, true)).isEqualTo(63);
    assertThat(declared.windowKeys(81, 81, true)).isEqualTo(LoopPlace.MAX_WINDOW_KEYS - 1);
  }

  @Test
  void declaredLoopsThatEnd_beginWithAWholeWindow() {
    declared.ended(LENGTH, LENGTH, true, false);
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(LoopPlace.MAX_WINDOW_KEYS - 1);
  }

  @Test
  void declaredLoopsThatAreLeft_beginWithWhatTheShortestRead() {
    declared.ended(LENGTH, LENGTH, true, false);
    declared.ended(40, 40, false, false);
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(39);
    declared.ended(2, 2, false, false);
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(LoopPlace.CAUTIOUS_KEYS - 1);
  }

  @Test
  void declaredLoopThatHardlyUsesItsWindow_hasASmallOne_andIsNeverStopped() {
    declared.ended(LENGTH, LENGTH, true, false);
    assertThat(declared.windowKeys(17, 17, false)).isEqualTo(LoopPlace.CAUTIOUS_KEYS - 1);
    for (int i = 0; i < 1_000; i++) {
      assertThat(declared.windowClosed(15, 0, 100, false)).isFalse();
    }
    assertThat(declared.isReadingAhead()).isTrue();
  }

  @Test
  void largeValues_makeWindowsSmall_atOnce_andSlowlyLargerAgain() {
    declared.ended(LENGTH, LENGTH, true, false);
    declared.windowClosed(16, 16, 256 << 10, false);
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(3);
    declared.windowClosed(3, 3, 100, false);
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(4);
    for (int i = 0; i < 60; i++) {
      declared.windowClosed(3, 3, 100, false);
    }
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(LoopPlace.MAX_WINDOW_KEYS - 1);
    declared.windowClosed(1, 1, 64 << 20, false);
    assertThat(declared.windowKeys(1, 1, true)).isEqualTo(1);
  }
}
