// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.internal.sync.KeySource.Numbers;
import dev.sheaf.internal.sync.KeySource.Repeated;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The blocking calls of one thread, as far as they may be loops: which it seems to be in, and what
 * is read ahead for them. Confined to that thread.
 */
final class FollowedCalls<K> {

  /** How many loops of the thread are followed at once. */
  private static final int MAX_LOOPS = 8;

  /**
   * How many calls are followed in a turn while nothing is read ahead anywhere, and how many pass
   * before the next turn is asked for: more than most loops have, so that some are seen whole.
   */
  static final int TURN_CALLS = 256;

  private final LearnedLoops<K, ?> learned;
  private final LearnedPlaces places;
  private final List<FollowedLoop<K>> loops = new ArrayList<>();
  private final ListedKeys<K> listed = new ListedKeys<>();
  private final KeyRow<K> row;
  private long windows;

  /** How many calls are left that are followed, or, below 0, that pass. */
  private int turn;

  /** Whether the latest call was followed. */
  private boolean following;

  FollowedCalls(LearnedLoops<K, ?> learned) {
    this.learned = learned;
    this.places = learned.places();
    this.row = new KeyRow<>(learned.lists());
  }

  /** What was read ahead for a key, to be handed out once; null if the server has to be asked. */
  @Nullable Result<?> take(AheadRead read, K key, @Nullable Object rest) {
    if (loops.isEmpty()) {
      return null;
    }
    String text = KeyForm.textOf(key);
    if (text == null) {
      return null;
    }
    Result<?> result = null;
    LearnedWindow<K> from = null;
    for (int i = 0; i < loops.size() && result == null; i++) {
      FollowedLoop<K> loop = loops.get(i);
      from = loop.window();
      if (from != null && loop.isOf(read, rest)) {
        result = from.take(key, text);
        if (result != null) {
          loop.reads(loop.source().indexOf(text), System.nanoTime());
          if (loop.isAtEnd()) {
            end(loop);
          }
        }
      }
    }
    for (FollowedLoop<K> loop : loops) {
      LearnedWindow<K> other = loop.window();
      if (other != null && (result == null || (from != null && other.isBefore(from)))) {
        other.forget(text);
      }
    }
    return result;
  }

  /** This key has been answered in another way. */
  void forget(K key) {
    String text = KeyForm.textOf(key);
    if (text == null) {
      dropAll();
    } else {
      forget(text);
    }
  }

  private void forget(String text) {
    for (FollowedLoop<K> loop : loops) {
      LearnedWindow<K> window = loop.window();
      if (window != null) {
        window.forget(text);
      }
    }
  }

  /** A call that is not read ahead may tell this thread more than what was read ahead. */
  void pass(SeenCall call, Object @Nullable [] arguments) {
    if (loops.isEmpty()) {
      return;
    }
    String text =
        call.keyed() && arguments != null && arguments.length > 0
            ? KeyForm.textOf(AheadRead.keyOf(arguments[0]))
            : null;
    if (text != null) {
      forget(text);
    } else if (call.readsMore() || call.keyed()) {
      dropAll();
    }
  }

  /** Nothing that was read ahead is handed out any more. */
  void dropAll() {
    loops.forEach(FollowedLoop::closeWindow);
  }

  /**
   * A read that the server is about to be asked.
   *
   * @return what is to be read ahead with it; null if nothing is
   */
  @Nullable LearnedWindow<K> asks(AheadRead read, K key, @Nullable Object rest) {
    if (!isFollowed()) {
      return null;
    }
    KeyForm form = KeyForm.of(key);
    String text = form == null ? null : KeyForm.textOf(key);
    if (form == null || text == null) {
      return null;
    }
    AskedRead asked = new AskedRead(read, rest, text, System.nanoTime());
    listed.forgetOld(asked.nanos());
    FollowedLoop<K> loop = loopOf(asked);
    if (loop == null) {
      return null;
    }
    LearnedPlace place = loop.place();
    int reads = loop.reads();
    // Not with every read, as to look at the stack takes some microseconds.
    if (place == null && (reads == KeyLists.FINGERPRINT_KEYS || Integer.bitCount(reads) == 1)) {
      place =
          reads == 1
              ? places.readingAheadHere(read, loop.source())
              : places.placeOf(read, loop.source());
      if (place != null) {
        foundAt(loop, place);
      }
    }
    if (reads == KeyLists.FINGERPRINT_KEYS && loop.source() instanceof Numbers) {
      row.end();
    }
    LearnedWindow<K> window =
        place != null && place.isReadingAhead() ? open(loop, place, form) : null;
    if (loop.isAtEnd()) {
      end(loop);
    }
    return window;
  }

  /**
   * Whether this call is looked at. All are where a window or a list may wait for it; else some, as
   * to follow each would cost a busy client more than it is worth.
   */
  private boolean isFollowed() {
    boolean followed = !listed.isEmpty() || places.anyReadAhead() || hasTurn();
    if (!followed && following) {
      // What comes next will not be seen, so what was seen so far is all of it.
      List.copyOf(loops).forEach(this::end);
      listed.clearCandidates();
      row.end();
    }
    following = followed;
    return followed;
  }

  private boolean hasTurn() {
    if (turn == 0) {
      turn = places.tryTurn() ? TURN_CALLS : -TURN_CALLS;
    }
    boolean has = turn > 0;
    turn += has ? -1 : 1;
    return has;
  }

  private void foundAt(FollowedLoop<K> loop, LearnedPlace place) {
    // A loop that was left early is over when its place begins another one.
    for (FollowedLoop<K> other : List.copyOf(loops)) {
      if (other != loop && other.place() == place) {
        end(other);
      }
    }
    loop.foundAt(place);
  }

  private @Nullable LearnedWindow<K> open(FollowedLoop<K> loop, LearnedPlace place, KeyForm form) {
    loop.closeWindow();
    int wanted = loop.mayReadAhead() ? place.windowKeys(loop.reads()) : 0;
    List<String> texts = new ArrayList<>(Math.min(wanted, LoopHabits.MAX_WINDOW_KEYS));
    int first = place.isUnordered() ? 0 : loop.last() + 1;
    int end = loop.source().size();
    for (int i = first; i < end && texts.size() < wanted; i++) {
      if (!loop.hasRead(i)) {
        String text = loop.source().keyAt(i);
        if (text != null
            && text.length() <= KeyForm.MAX_LENGTH
            && loop.source().indexOf(text) == i) {
          texts.add(text);
        } else if (end == Integer.MAX_VALUE) {
          break;
        }
      }
    }
    LearnedWindow<K> window =
        texts.isEmpty()
            ? null
            : learned.open(loop.read(), loop.rest(), texts, form, place, ++windows);
    if (window != null) {
      loop.opened(window);
    }
    return window;
  }

  private @Nullable FollowedLoop<K> loopOf(AskedRead asked) {
    for (int i = loops.size() - 1; i >= 0; i--) {
      FollowedLoop<K> loop = loops.get(i);
      int index = asked.keyIndex(loop);
      if (index != KeySource.NONE && loop.mayGoOnAt(index)) {
        if (loop.beginsAgainAt(index) || isElsewhere(loop, index)) {
          end(loop);
          loop = asked.begin(loop.source());
          loops.add(loop);
        }
        loop.reads(index, asked.nanos());
        return loop;
      }
    }
    FollowedLoop<K> begun = proven(asked);
    if (begun == null) {
      begun = foreseen(asked);
    }
    if (begun == null) {
      begun = row.add(asked);
    }
    if (begun != null) {
      follow(begun);
    }
    return begun;
  }

  /** Whether a jump in a loop that goes straight on is the beginning of one at another place. */
  private boolean isElsewhere(FollowedLoop<K> loop, int index) {
    LearnedPlace place = loop.place();
    if (place == null || loop.isShuffled() || loop.isNear(index)) {
      return false;
    }
    LearnedPlace here = places.placeOf(loop.read(), loop.source());
    return here != null && here != place;
  }

  /** A loop over a list, of which this is the second key. */
  private @Nullable FollowedLoop<K> proven(AskedRead asked) {
    FollowedLoop<K> loop = listed.proven(asked);
    if (loop != null) {
      row.endWithout(loop.source().keyAt(loop.last())); // It was taken for one of no loop.
      loop.reads(asked.keyIndex(loop), asked.nanos());
    }
    return loop;
  }

  /** A loop whose first key this is, at a place that reads ahead. */
  private @Nullable FollowedLoop<K> foreseen(AskedRead asked) {
    List<FollowedLoop<K>> begun = listed.begunBy(asked);
    if (!places.anyReadAhead()) {
      return null;
    }
    if (begun.isEmpty()) {
      KeySource repeated = learned.lists().repeated(asked.read(), asked.text());
      FollowedLoop<K> loop = asked.begin(repeated, List.of(asked.text()));
      begun = loop == null ? List.of() : List.of(loop);
    }
    for (FollowedLoop<K> loop : begun) {
      LearnedPlace place = places.readingAheadHere(asked.read(), loop.source());
      if (place != null) {
        listed.clearCandidates();
        row.end();
        foundAt(loop, place);
        return loop;
      }
    }
    return null;
  }

  private void follow(FollowedLoop<K> loop) {
    for (FollowedLoop<K> other : List.copyOf(loops)) {
      if (loop.lastNanos() - other.lastNanos() > AskedRead.MAX_PAUSE_NANOS) {
        end(other);
      }
    }
    if (loops.size() == MAX_LOOPS) {
      end(loops.get(0));
    }
    loops.add(loop);
  }

  private void end(FollowedLoop<K> loop) {
    loops.remove(loop);
    LearnedPlace place = loop.place();
    loop.closeWindow();
    if (place != null) {
      places.ended(place, loop.reads(), loop.span(), loop.wentToTheEnd(), loop.isShuffled());
    }
    if (loop.isAtEnd() && loop.source() instanceof Repeated list) {
      row.goesOn(list, new AskedRead(loop.read(), loop.rest(), "", loop.lastNanos()));
    }
  }

  /**
   * A reply, which the keys of the next loop may be made of.
   *
   * @param command what it answers
   */
  void replied(String command, @Nullable Object reply) {
    ReadList list = reply == null ? null : ReadList.of(command, reply);
    if (list != null) {
      listed.add(list);
    }
  }
}
