// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.internal.sync.KeySource.Numbers;
import dev.sheaf.internal.sync.KeySource.OfList;
import dev.sheaf.internal.sync.KeySource.Repeated;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The blocking calls of one thread, as far as they may be loops: the lists that it has read, the
 * loops that it seems to be in, and what is read ahead for them. Confined to that thread.
 */
final class FollowedCalls<K> {

  /** How many lists of the thread are remembered, the latest first. */
  private static final int MAX_LISTS = 4;

  /** How many loops of the thread are followed at once. */
  private static final int MAX_LOOPS = 8;

  /** How many first keys wait for a second one that proves what they have in common with a list. */
  private static final int MAX_CANDIDATES = 16;

  /** With which elements a loop over a list in its order may begin. */
  private static final int FIRST_ELEMENTS = 3;

  /** How many keys tell a loop that was seen before. */
  static final int FINGERPRINT_KEYS = 3;

  /** Fewer keys in a row are not remembered as a list. */
  private static final int MIN_REPEATED = 8;

  /** More keys in a row are remembered as several lists. */
  private static final int MAX_REPEATED = 1_024;

  /**
   * How long after its list, or after its key before, the next key of a loop may come: 1 second.
   */
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * How many calls are followed in a turn while nothing is read ahead anywhere, and how many pass
   * before the next turn is asked for: more than most loops have, so that some are seen whole.
   */
  static final int TURN_CALLS = 256;

  private final LearnedLoops<K, ?> learned;
  private final List<ReadList> lists = new ArrayList<>();
  private final List<FollowedLoop<K>> loops = new ArrayList<>();
  private final List<FollowedLoop<K>> candidates = new ArrayList<>();

  /** The latest keys that belong to no loop, of one command, each once. */
  private final Set<String> row = new LinkedHashSet<>();

  /** How many keys of the row are remembered as a list. */
  private int remembered;

  private final String[] latest = new String[FINGERPRINT_KEYS];
  private @Nullable AheadRead rowRead;
  private @Nullable Object rowRest;
  private long rowNanos;
  private long windows;

  /** How many calls are left that are followed, or, below 0, that pass. */
  private int turn;

  /** Whether the latest call was followed. */
  private boolean following;

  /**
   * A read that the server is about to be asked.
   *
   * @param rest what follows the key, as a field
   * @param text the key's
   */
  private record Asked(AheadRead read, @Nullable Object rest, String text, long nanos) {

    /** The place of the key in what a loop reads. */
    int keyIndex(FollowedLoop<?> loop) {
      return loop.isOf(read, rest) ? loop.source().indexOf(text) : KeySource.NONE;
    }

    /** A loop that has read nothing yet. */
    <K> FollowedLoop<K> begin(KeySource source) {
      return new FollowedLoop<>(read, rest, source);
    }
  }

  FollowedCalls(LearnedLoops<K, ?> learned) {
    this.learned = learned;
    Arrays.fill(latest, "");
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
    Asked asked = new Asked(read, rest, text, System.nanoTime());
    forgetOldLists(asked.nanos);
    FollowedLoop<K> loop = loopOf(asked);
    if (loop == null) {
      return null;
    }
    LearnedPlace place = loop.place();
    int reads = loop.reads();
    // Not with every read, as to look at the stack takes some microseconds.
    if (place == null && (reads == FINGERPRINT_KEYS || Integer.bitCount(reads) == 1)) {
      place =
          reads == 1
              ? learned.places().readingAheadHere(read, loop.source())
              : learned.places().placeOf(read, loop.source());
      if (place != null) {
        foundAt(loop, place);
      }
    }
    if (reads == FINGERPRINT_KEYS && loop.source() instanceof Numbers) {
      endRow();
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
    boolean followed = !lists.isEmpty() || learned.places().anyReadAhead() || hasTurn();
    if (!followed && following) {
      // What comes next will not be seen, so what was seen so far is all of it.
      List.copyOf(loops).forEach(this::end);
      candidates.clear();
      endRow();
    }
    following = followed;
    return followed;
  }

  private boolean hasTurn() {
    if (turn == 0) {
      turn = learned.places().tryTurn() ? TURN_CALLS : -TURN_CALLS;
    }
    boolean has = turn > 0;
    turn += has ? -1 : 1;
    return has;
  }

  private void forgetOldLists(long now) {
    lists.removeIf(list -> now - list.readAtNanos() > MAX_PAUSE_NANOS);
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

  private @Nullable FollowedLoop<K> loopOf(Asked asked) {
    for (int i = loops.size() - 1; i >= 0; i--) {
      FollowedLoop<K> loop = loops.get(i);
      int index = asked.keyIndex(loop);
      if (index != KeySource.NONE && loop.mayGoOnAt(index)) {
        if (loop.beginsAgainAt(index) || isElsewhere(loop, index)) {
          end(loop);
          loop = asked.begin(loop.source());
          loops.add(loop);
        }
        loop.reads(index, asked.nanos);
        return loop;
      }
    }
    FollowedLoop<K> begun = proven(asked);
    if (begun == null) {
      propose(asked);
      begun = foreseen(asked);
    }
    if (begun == null) {
      begun = unlisted(asked);
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
    LearnedPlace here = learned.places().placeOf(loop.read(), loop.source());
    return here != null && here != place;
  }

  /** A loop whose first key this is, at a place that reads ahead. */
  private @Nullable FollowedLoop<K> foreseen(Asked asked) {
    if (!learned.places().anyReadAhead()) {
      return null;
    }
    LearnedPlace place = null;
    FollowedLoop<K> begun = null;
    ReadList latest = null;
    for (int i = candidates.size() - 1; i >= 0 && place == null; i--) {
      FollowedLoop<K> candidate = candidates.get(i);
      if (candidate.source() instanceof OfList of
          && (latest == null || latest == of.list())
          && asked.keyIndex(candidate) == candidate.last()) {
        latest = of.list();
        begun = candidate;
        place = learned.places().readingAheadHere(asked.read, of);
      }
    }
    if (latest == null) {
      KeySource repeated = learned.repeated(asked.read, asked.text);
      begun = begun(asked, repeated, List.of(asked.text));
      place = repeated == null ? null : learned.places().readingAheadHere(asked.read, repeated);
    }
    if (begun == null || place == null) {
      return null;
    }
    candidates.clear();
    endRow();
    foundAt(begun, place);
    return begun;
  }

  private void follow(FollowedLoop<K> loop) {
    for (FollowedLoop<K> other : List.copyOf(loops)) {
      if (loop.lastNanos() - other.lastNanos() > MAX_PAUSE_NANOS) {
        end(other);
      }
    }
    if (loops.size() == MAX_LOOPS) {
      end(loops.get(0));
    }
    loops.add(loop);
  }

  /** A loop over a list, whose first key was seen and whose second this is. */
  private @Nullable FollowedLoop<K> proven(Asked asked) {
    for (int i = candidates.size() - 1; i >= 0; i--) {
      FollowedLoop<K> candidate = candidates.get(i);
      int index = asked.keyIndex(candidate);
      if (index != KeySource.NONE && !candidate.hasRead(index)) {
        candidates.clear();
        row.remove(candidate.source().keyAt(candidate.last())); // It was taken for one of no loop.
        endRow();
        candidate.reads(index, asked.nanos);
        return candidate;
      }
    }
    return null;
  }

  /** Notes which lists this key may be made of an element of. */
  private void propose(Asked asked) {
    // The latest list last, where it is looked for first.
    for (int n = lists.size() - 1; n >= 0; n--) {
      ReadList list = lists.get(n);
      for (int i = 0; i < Math.min(FIRST_ELEMENTS, list.size()); i++) {
        String element = list.get(i);
        if (element != null && !element.isEmpty()) {
          int at = asked.text.indexOf(element);
          while (at >= 0) {
            propose(asked, list, at, at + element.length());
            at = asked.text.indexOf(element, at + 1);
          }
        }
      }
      proposeParts(asked, list);
    }
  }

  /** A loop in another order begins with any element, which stands between colons then. */
  private void proposeParts(Asked asked, ReadList list) {
    String text = asked.text;
    int start = 0;
    while (start <= text.length()) {
      int colon = text.indexOf(':', start);
      int end = colon < 0 ? text.length() : colon;
      if (end > start && list.indexOf(text.substring(start, end)) >= FIRST_ELEMENTS) {
        propose(asked, list, start, end);
      }
      start = end + 1;
    }
  }

  private void propose(Asked asked, ReadList list, int from, int to) {
    KeySource source = new OfList(list, asked.text.substring(0, from), asked.text.substring(to));
    int index = source.indexOf(asked.text);
    if (index != KeySource.NONE) {
      if (candidates.size() == MAX_CANDIDATES) {
        candidates.remove(0);
      }
      FollowedLoop<K> candidate = asked.begin(source);
      candidate.reads(index, asked.nanos);
      candidates.add(candidate);
    }
  }

  /** A loop over numbers, or over the keys of an earlier one. */
  private @Nullable FollowedLoop<K> unlisted(Asked asked) {
    String text = asked.text;
    if (asked.read != rowRead
        || !Objects.deepEquals(asked.rest, rowRest)
        || asked.nanos - rowNanos > MAX_PAUSE_NANOS
        || row.size() == MAX_REPEATED
        || row.contains(text)) {
      endRow();
      rowRead = asked.read;
      rowRest = asked.rest;
    }
    rowNanos = asked.nanos;
    FollowedLoop<K> numbers = null;
    for (int i = FINGERPRINT_KEYS - 1; i >= 0 && numbers == null; i--) {
      numbers = begun(asked, Numbers.of(latest[i], text), List.of(latest[i], text));
    }
    System.arraycopy(latest, 1, latest, 0, FINGERPRINT_KEYS - 1);
    latest[FINGERPRINT_KEYS - 1] = text;
    FollowedLoop<K> repeated = begun(asked, learned.repeated(asked.read, latest), List.of(latest));
    FollowedLoop<K> loop = repeated == null ? numbers : repeated;
    // Two numbers may differ by some step by chance, in a row of other keys.
    if (loop == null || loop.source() instanceof Numbers) {
      row.add(text);
      if (Integer.bitCount(row.size()) == 1) {
        // A thread may end with its request, and say nothing of it.
        remember();
      }
    } else {
      row.clear();
      remembered = 0;
    }
    return loop;
  }

  private @Nullable FollowedLoop<K> begun(
      Asked asked, @Nullable KeySource source, List<String> keys) {
    if (source == null) {
      return null;
    }
    FollowedLoop<K> loop = asked.begin(source);
    for (String key : keys) {
      int index = source.indexOf(key);
      if (index == KeySource.NONE) {
        return null;
      }
      loop.reads(index, asked.nanos);
    }
    return loop;
  }

  private void endRow() {
    remember();
    row.clear();
    remembered = 0;
    Arrays.fill(latest, "");
  }

  private void remember() {
    AheadRead read = rowRead;
    if (read != null && row.size() >= MIN_REPEATED && row.size() > remembered) {
      learned.remember(read, Repeated.of(row));
      remembered = row.size();
    }
  }

  private void end(FollowedLoop<K> loop) {
    loops.remove(loop);
    LearnedPlace place = loop.place();
    loop.closeWindow();
    if (place != null) {
      learned
          .places()
          .ended(place, loop.reads(), loop.span(), loop.wentToTheEnd(), loop.isShuffled());
    }
    if (loop.isAtEnd()
        && loop.source() instanceof Repeated list
        && list.keys().size() < MAX_REPEATED) {
      // It may go on, and is a longer list then.
      endRow();
      row.addAll(list.keys());
      remembered = row.size();
      rowRead = loop.read();
      rowRest = loop.rest();
      rowNanos = loop.lastNanos();
    }
  }

  /**
   * A reply, which the keys of the next loop may be made of.
   *
   * @param command what it answers
   */
  void replied(String command, @Nullable Object reply) {
    if (reply == null) {
      return;
    }
    ReadList list = ReadList.of(command, reply);
    if (list != null) {
      forgetOldLists(list.readAtNanos());
      if (lists.size() == MAX_LISTS) {
        lists.remove(MAX_LISTS - 1);
      }
      lists.add(0, list);
    }
  }
}
