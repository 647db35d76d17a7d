// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** The random selection of SRANDMEMBER, HRANDFIELD and ZRANDMEMBER. */
final class RandomPick {
  private static final long MAX_PICKS = 16_000_000;

  /** Newer servers' error for the one number that cannot be negated. */
  static final String OUT_OF_RANGE =
      "ERR value is out of range, value must between -9223372036854775807 and"
          + " 9223372036854775807";

  /** The count of a command; if negative, entries can repeat. */
  static long count(Call call) {
    long count = call.longArg(2);
    Errors.refuseIf(count == Long.MIN_VALUE, OUT_OF_RANGE);
    return count;
  }

  /** Returns whether the option for values or scores follows the count. */
  static boolean inPairs(Call call, long count, String option) {
    Errors.syntaxIf(call.count() > 4 || (call.count() == 4 && !call.is(3, option)));
    Errors.refuseIf(
        call.count() == 4 && (count < -Long.MAX_VALUE / 2 || count > Long.MAX_VALUE / 2),
        "ERR value is out of range");
    return call.count() == 4;
  }

  /** Replies one key, or nil. */
  static void one(Call call, ByteMap<?> map) {
    call.out.orNil(map.random(call.node.nodes.random), entry -> call.out.bulk(entry.key));
  }

  /**
   * A positive count returns distinct entries; a negative one returns that many with repetition.
   */
  static <V> List<ByteMap.Entry<V>> from(Call call, ByteMap<V> map, long count) {
    RandomGenerator random = call.node.nodes.random;
    List<ByteMap.Entry<V>> chosen = new ArrayList<>();
    if (map.isEmpty()) {
      return chosen;
    }
    if (count < 0) {
      Errors.refuseIf(count < -MAX_PICKS, "ERR value is out of range");
      for (long i = count; i < 0; i++) {
        ByteMap.Entry<V> entry = map.random(random);
        if (entry != null) {
          chosen.add(entry);
        }
      }
      return chosen;
    }
    for (var e = map.first(); e != null; e = e.after()) {
      chosen.add(e);
    }
    if (count < chosen.size()) {
      for (int i = 0; i < count; i++) {
        int other = i + random.nextInt(chosen.size() - i);
        ByteMap.Entry<V> swapped = chosen.get(i);
        chosen.set(i, chosen.get(other));
        chosen.set(other, swapped);
      }
      return chosen.subList(0, (int) count);
    }
    return chosen;
  }
}
