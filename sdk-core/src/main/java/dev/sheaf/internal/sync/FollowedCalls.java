// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.sync.FollowedLoop.Asked;
import dev.sheaf.internal.sync.KeySource.Numbers;
import dev.sheaf.internal.sync.KeySource.OfList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Follows the blocking calls of one thread to find undeclared loops. Confined to that thread. */
final class FollowedCalls<K> {

  /**
   * How many calls are followed in a turn while no place reads ahead, and how many calls pass
   * before the next turn: more than most loops have, so that some are followed completely.
   */
  static final int TURN_CALLS = 256;

  private final CallerThread thread;
  private final LoopPlaces places;
  private final KeyRow.Lists lists;
  private final ListedKeys<K> listed = new ListedKeys<>();
  private final KeyRow<K> row;

  /** The calls left to follow, or, if negative, to let pass. */
  private int turn;

  /** Whether the last call was followed. */
  private boolean following;

  FollowedCalls(CallerThread thread, LoopPlaces places, KeyRow.Lists lists) {
    this.thread = thread;
    this.places = places;
    this.lists = lists;
    this.row = new KeyRow<>(lists);
  }

  private List<FollowedLoop<K>> loops() {
    return FollowedLoop.among(thread.loops());
  }

  /**
   * Called before a read is sent.
   *
   * @return the loop that the read belongs to; null if none is known
   */
  @Nullable FollowedLoop<K> asks(AheadRead read, Object key, @Nullable Object rest) {
    if (thread.isInLoop()) {
      loops().stream().filter(Loop::isAtEnd).forEach(this::end);
    }
    if (!isFollowed()) {
      return null;
    }
    KeyForm form = KeyForm.of(key);
    String text = form == null ? null : KeyForm.textOf(key);
    if (form == null || text == null) {
      return null;
    }
    Asked asked = new Asked(read, rest, form, text, System.nanoTime());
    listed.forgetOld(asked.nanos());
    FollowedLoop<K> loop = loopOf(asked);
    if (loop == null) {
      return null;
    }
    int reads = loop.reads();
    // Not at every read, because walking the stack takes some microseconds.
    if (loop.place() == null
        && (reads == KeyRow.FINGERPRINT_KEYS || Integer.bitCount(reads) == 1)) {
      foundAt(
          loop,
          reads == 1
              ? places.readingAheadHere(read, loop.source())
              : places.placeOf(read, loop.source()));
    }
    if (reads == KeyRow.FINGERPRINT_KEYS && loop.source() instanceof Numbers) {
      row.end();
    }
    return loop;
  }

  /**
   * Returns whether to follow this call. If a window or list may be waiting for it, all are
   * followed; otherwise some, because following every call would cost a busy client more than it
   * gains.
   */
  private boolean isFollowed() {
    boolean followed = !listed.isEmpty() || places.anyReadAhead() || hasTurn();
    if (!followed && following) {
      // The next calls are not followed, so the loops seen so far are complete.
      loops().forEach(this::end);
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

  private void foundAt(FollowedLoop<K> loop, @Nullable LoopPlace place) {
    if (place != null) {
      // A loop that was left early has ended when its place starts another one.
      for (FollowedLoop<K> other : loops()) {
        if (other != loop && other.place() == place) {
          end(other);
        }
      }
      loop.foundAt(place);
    }
  }

  private @Nullable FollowedLoop<K> loopOf(Asked asked) {
    List<FollowedLoop<K>> loops = loops();
    for (int i = loops.size() - 1; i >= 0; i--) {
      FollowedLoop<K> loop = loops.get(i);
      int index = asked.keyIndex(loop);
      if (index != Loop.NONE && loop.mayGoOnAt(index)) {
        if (loop.beginsAgainAt(index) || isElsewhere(loop, index)) {
          end(loop);
          loop = new FollowedLoop<>(asked, loop.source());
          thread.begin(loop);
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

  /** Returns whether a jump within a sequential loop is the start of a loop at another place. */
  private boolean isElsewhere(FollowedLoop<K> loop, int index) {
    LoopPlace place = loop.place();
    if (place == null || loop.isShuffled() || loop.isNear(index)) {
      return false;
    }
    LoopPlace here = places.placeOf(loop.read(), loop.source());
    return here != null && here != place;
  }

  /** Returns a loop over a list whose second key this is. */
  private @Nullable FollowedLoop<K> proven(Asked asked) {
    FollowedLoop<K> loop = listed.proven(asked);
    if (loop != null) {
      row.endWithout(loop.source().keyAt(loop.last())); // It was taken for a read outside any loop.
      loop.reads(asked.keyIndex(loop), asked.nanos());
    }
    return loop;
  }

  /** Returns a loop whose first key this is, at a place that reads ahead. */
  private @Nullable FollowedLoop<K> foreseen(Asked asked) {
    List<FollowedLoop<K>> begun = listed.begunBy(asked);
    if (!places.anyReadAhead()) {
      return null;
    }
    if (begun.isEmpty()) {
      FollowedLoop<K> loop =
          asked.begin(lists.beginningWith(asked.read(), asked.text()), asked.text());
      begun = loop == null ? List.of() : List.of(loop);
    }
    for (FollowedLoop<K> loop : begun) {
      LoopPlace place = places.readingAheadHere(asked.read(), loop.source());
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
    for (FollowedLoop<K> other : loops()) {
      if (loop.lastNanos() - other.lastNanos() > FollowedLoop.MAX_PAUSE_NANOS) {
        end(other);
      }
    }
    thread.begin(loop);
  }

  private void end(FollowedLoop<K> loop) {
    thread.end(loop);
    if (loop.isAtEnd() && loop.source() instanceof OfList of && of.list().isOfKeys()) {
      row.goesOn(of.list(), loop.lastRead());
    }
  }

  /**
   * Records a reply that the keys of the next loop may come from.
   *
   * @param command the command of the reply
   */
  void replied(String command, @Nullable Object reply) {
    ReadList list = reply == null ? null : ReadList.of(command, reply);
    if (list != null) {
      listed.add(list);
    }
  }
}
