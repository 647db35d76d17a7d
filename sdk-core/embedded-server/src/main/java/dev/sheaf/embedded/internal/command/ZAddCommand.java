// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** ZADD with its options, and ZINCRBY. */
final class ZAddCommand {
  private final Call call;
  private static final Set<String> OPTIONS = Set.of("NX", "XX", "GT", "LT", "CH", "INCR");

  private final Set<String> options = new HashSet<>();
  private boolean increment;
  private int added;
  private int updated;
  private @Nullable Double lastScore;

  private ZAddCommand(Call call) {
    this.call = call;
  }

  static void run(Call call) {
    ZAddCommand add = new ZAddCommand(call);
    add.apply(add.options());
  }

  static void incrBy(Call call) {
    ZAddCommand add = new ZAddCommand(call);
    add.increment = true;
    if (add.options() > 2) {
      // Redis parses them as options of ZADD, and then finds an incomplete pair.
      throw Errors.syntax();
    }
    add.apply(2);
  }

  private int options() {
    int i = 2;
    for (; i < call.count() && OPTIONS.contains(call.option(i)); i++) {
      options.add(call.option(i));
    }
    increment |= options.contains("INCR");
    return i;
  }

  private void apply(int from) {
    boolean nx = options.contains("NX");
    boolean xx = options.contains("XX");
    boolean gt = options.contains("GT");
    boolean lt = options.contains("LT");
    int rest = call.count() - from;
    Errors.syntaxIf(rest == 0 || rest % 2 != 0);
    Errors.refuseIf(nx && xx, "ERR XX and NX options at the same time are not compatible");
    Errors.refuseIf(
        (gt && nx) || (lt && nx) || (gt && lt),
        "ERR GT, LT, and/or NX options at the same time are not compatible");
    Errors.refuseIf(
        increment && rest > 2, "ERR INCR option supports a single increment-element pair");
    double[] scores = new double[rest / 2];
    for (int i = 0; i < scores.length; i++) {
      scores[i] = call.doubleArg(from + 2 * i);
    }
    byte[] key = call.arg(1);
    SortedSetValue set = call.sortedSet(key);
    if (set == null && !xx) {
      set = new SortedSetValue();
    }
    if (set != null) {
      boolean isNew = set.size() == 0;
      for (int i = 0; i < scores.length; i++) {
        put(set, call.arg(from + 2 * i + 1), scores[i]);
      }
      if (isNew && set.size() > 0) {
        call.db().put(key, set);
      }
      if (added + updated > 0) {
        call.changed(key, increment ? "zincr" : "zadd");
      }
    }
    reply();
  }

  private void put(SortedSetValue set, byte[] member, double score) {
    ScoredMembers.Node there = set.find(member);
    if (there == null) {
      if (!options.contains("XX")) {
        set.put(member, score);
        added++;
        lastScore = score;
      }
      return;
    }
    if (options.contains("NX")) {
      return;
    }
    double wanted = increment ? there.score() + score : score;
    Errors.refuseIf(Double.isNaN(wanted), "ERR resulting score is not a number (NaN)");
    if ((options.contains("LT") && wanted >= there.score())
        || (options.contains("GT") && wanted <= there.score())) {
      return;
    }
    lastScore = wanted;
    if (wanted != there.score()) {
      set.put(member, wanted);
      updated++;
    }
  }

  private void reply() {
    if (!increment) {
      call.out.integer(options.contains("CH") ? added + updated : added);
    } else {
      call.out.orNil(lastScore, call.out::number);
    }
  }
}
