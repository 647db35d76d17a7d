// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LearnedPlaceTest {

  private static final int LENGTH = 100;

  private final LearnedPlace place = new LearnedPlace(List.of("App.page"), "GET", "item:*", 25);

  private void learn() {
    for (int i = 0; i < LearnedPlace.PROOFS; i++) {
      place.ended(LENGTH, LENGTH, true, false);
    }
    assertThat(place.isReadingAhead()).isTrue();
  }

  @Test
  void loopTooSlowForItsWindows_hasSmallerOnes_andDoesNotStop() {
    learn();
    int first = place.windowKeys(1);
    for (int i = 0; i < 20; i++) {
      int keys = place.windowKeys(1);
      assertThat(place.windowClosed(keys, Math.min(keys, 2), 100, keys > 2)).isFalse();
    }
    assertThat(place.isReadingAhead()).isTrue();
    assertThat(place.windowKeys(1)).isLessThan(first).isPositive();
  }

  @Test
  void oneStallOfTheMachine_isOverAfterAFewWindows() {
    learn();
    int first = place.windowKeys(1);
    place.windowClosed(first, 2, 100, true);
    int windows = 0;
    while (place.windowKeys(1) < LENGTH) {
      int keys = place.windowKeys(1);
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
      stopped = place.windowClosed(place.windowKeys(1), 0, 100, true);
    }
    assertThat(stopped).isTrue();
    assertThat(place.windowKeys(1)).isZero();
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
}
