// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many calls of a thread are looked at while there is nothing to learn. */
class FollowedCallsTest {

  private static final int FOLLOWED = LoopPlaces.TURNS_PER_SECOND * FollowedCalls.TURN_CALLS;

  private final FakeClock clock = new FakeClock();
  private final KeyRow.Lists lists = new KeyRow.Lists();
  private final FollowedCalls<String> calls =
      new FollowedCalls<>(
          new CallerThread(),
          new LoopPlaces(LoopLearning.defaults(), null, "any", clock::now),
          lists);
  private int reads;

  /** A key without a number, which is of no sequence. */
  private static String key(int index) {
    StringBuilder key = new StringBuilder();
    for (int rest = index; rest > 0; rest /= 26) {
      key.append((char) ('a' + rest % 26));
    }
    return key + ":key";
  }

  private void read(int keys) {
    for (int i = 0; i < keys; i++) {
      assertThat(calls.asks(AheadRead.GET, key(reads++), null)).isNull();
    }
  }

  /** How many lists are remembered that begin with one of these keys. */
  private long lists(int from, int to) {
    long lists = 0;
    for (int i = from; i < to; i++) {
      lists += this.lists.beginningWith(AheadRead.GET, key(i)) == null ? 0 : 1;
    }
    return lists;
  }

  @Test
  void readsOfNoLoop_areFollowedForSomeTurnsASecond() {
    read(3 * FOLLOWED);
    assertThat(lists(0, FOLLOWED)).isPositive();
    assertThat(lists(FOLLOWED, 3 * FOLLOWED)).isZero();
  }

  @Test
  void anotherSecond_hasTurnsOfItsOwn() {
    read(2 * FOLLOWED);
    clock.pass(Duration.ofMillis(1_001));
    read(2 * FOLLOWED);
    assertThat(lists(2 * FOLLOWED, 4 * FOLLOWED)).isPositive();
  }

  @Test
  void listThatWasRead_hasTheNextReadsFollowed() {
    read(2 * FOLLOWED);
    calls.replied("SMEMBERS", List.of("one", "two", "three", "four"));
    read(FollowedCalls.TURN_CALLS);
    assertThat(lists(2 * FOLLOWED, 2 * FOLLOWED + FollowedCalls.TURN_CALLS)).isPositive();
  }
}
