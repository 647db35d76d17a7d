// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.ScoredMembers;
import dev.sheaf.embedded.internal.data.SetValue;
import dev.sheaf.embedded.internal.data.SortedSetValue;
import dev.sheaf.embedded.internal.data.Value;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ZUNION, ZINTER, ZDIFF, their STORE forms and ZINTERCARD. */
final class ZCombineCommand {
  enum Operation {
    UNION,
    INTERSECTION,
    DIFFERENCE
  }

  private enum Aggregate {
    SUM,
    MIN,
    MAX;

    double of(double a, double b) {
      return switch (this) {
        case SUM -> {
          double sum = a + b;
          yield Double.isNaN(sum) ? 0 : sum;
        }
        case MIN -> Math.min(a, b);
        case MAX -> Math.max(a, b);
      };
    }
  }

  private final Call call;
  private final Operation operation;
  private final int countAt;
  private final boolean storing;
  private int numKeys;
  private double[] weights = {};
  private Aggregate aggregate = Aggregate.SUM;
  private boolean withScores;

  private ZCombineCommand(Call call, Operation operation, boolean storing) {
    this.call = call;
    this.operation = operation;
    this.storing = storing;
    this.countAt = storing ? 2 : 1;
  }

  static Handler reply(Operation operation) {
    return call -> new ZCombineCommand(call, operation, false).reply();
  }

  static Handler store(Operation operation) {
    return call -> new ZCombineCommand(call, operation, true).store();
  }

  static void interCard(Call call) {
    Long count = Numbers.parseLong(call.arg(1));
    if (count == null || count < 1) {
      throw count == null ? Errors.of(Errors.NOT_INTEGER) : noKeys(call);
    }
    Errors.syntaxIf(count > call.count() - 2);
    ZCombineCommand combine = new ZCombineCommand(call, Operation.INTERSECTION, false);
    combine.numKeys = count.intValue();
    combine.weights = ones(combine.numKeys);
    combine.checkTypes();
    long limit = SetCommands.limit(call, 2 + combine.numKeys);
    call.out.integer(Math.min(limit, combine.combined().size()));
  }

  private static double[] ones(int n) {
    double[] ones = new double[n];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static CommandException noKeys(Call call) {
    return Errors.of(
        "ERR at least 1 input key is needed for '" + call.command.name() + "' command");
  }

  private void parse() {
    long count = call.longArg(countAt);
    if (count < 1) {
      throw noKeys(call);
    }
    Errors.syntaxIf(count > call.count() - countAt - 1);
    numKeys = (int) count;
    checkTypes();
    weights = ones(numKeys);
    for (int i = countAt + 1 + numKeys; i < call.count(); i++) {
      int left = call.count() - 1 - i;
      boolean weighted = operation != Operation.DIFFERENCE;
      if (weighted && call.is(i, "WEIGHTS") && left >= numKeys) {
        for (int k = 0; k < numKeys; k++) {
          weights[k] = weight(++i);
        }
      } else if (weighted && call.is(i, "AGGREGATE") && left >= 1) {
        aggregate = call.constant(++i, Aggregate.values(), Errors.SYNTAX);
      } else if (!storing && call.is(i, "WITHSCORES")) {
        withScores = true;
      } else {
        throw Errors.syntax();
      }
    }
  }

  /** The sources are checked before the options. */
  private void checkTypes() {
    for (int i = 0; i < numKeys; i++) {
      Value value = call.value(call.arg(countAt + 1 + i));
      if (value != null && !(value instanceof SetValue) && !(value instanceof SortedSetValue)) {
        throw Errors.wrongType();
      }
    }
  }

  private double weight(int at) {
    return Errors.found(Numbers.parseDouble(call.arg(at)), "ERR weight value is not a float");
  }

  private void reply() {
    parse();
    SortedSetValue result = combined();
    List<ScoredMembers.Node> nodes = new ArrayList<>();
    for (ScoredMembers.Node n = result.order.first(); n != null; n = n.next()) {
      nodes.add(n);
    }
    SortedSetReplies.write(call, nodes, withScores);
  }

  private void store() {
    parse();
    SortedSetValue result = combined();
    call.storeOrDelete(call.arg(1), result, result.size());
  }

  /** Returns the scores of one source; in a set all scores are 1. */
  private @Nullable ByteMap<Double> source(int at) {
    Value value = call.value(call.arg(at));
    if (value == null) {
      return null;
    }
    ByteMap<Double> scores = new ByteMap<>();
    if (value instanceof SetValue set) {
      set.list().forEach(member -> scores.put(member, 1.0));
    } else if (value instanceof SortedSetValue sorted) {
      for (ScoredMembers.Node n = sorted.order.first(); n != null; n = n.next()) {
        scores.put(n.member, n.score());
      }
    } else {
      throw Errors.wrongType();
    }
    return scores;
  }

  private SortedSetValue combined() {
    List<@Nullable ByteMap<Double>> sources = new ArrayList<>();
    for (int i = 0; i < numKeys; i++) {
      sources.add(source(countAt + 1 + i));
    }
    SortedSetValue result = new SortedSetValue();
    if (operation == Operation.UNION) {
      union(sources, result);
      return result;
    }
    ByteMap<Double> first = sources.get(0);
    if (first == null) {
      return result;
    }
    for (var e = first.first(); e != null; e = e.after()) {
      Double score = operation == Operation.INTERSECTION ? inAll(sources, e) : inFirst(sources, e);
      if (score != null) {
        result.put(e.key, score);
      }
    }
    return result;
  }

  private double weighted(double score, int source) {
    double product = score * weights[source];
    return Double.isNaN(product) ? 0 : product;
  }

  private void union(List<@Nullable ByteMap<Double>> sources, SortedSetValue result) {
    for (int i = 0; i < sources.size(); i++) {
      ByteMap<Double> source = sources.get(i);
      for (var e = source == null ? null : source.first(); e != null; e = e.after()) {
        double score = weighted(e.value(), i);
        ScoredMembers.Node there = result.find(e.key);
        result.put(e.key, there == null ? score : aggregate.of(there.score(), score));
      }
    }
  }

  private @Nullable Double inAll(
      List<@Nullable ByteMap<Double>> sources, ByteMap.Entry<Double> entry) {
    double score = weighted(entry.value(), 0);
    for (int i = 1; i < sources.size(); i++) {
      ByteMap<Double> source = sources.get(i);
      Double other = source == null ? null : source.get(entry.key);
      if (other == null) {
        return null;
      }
      score = aggregate.of(score, weighted(other, i));
    }
    return score;
  }

  private @Nullable Double inFirst(
      List<@Nullable ByteMap<Double>> sources, ByteMap.Entry<Double> entry) {
    for (ByteMap<Double> source : sources.subList(1, sources.size())) {
      if (source != null && source.contains(entry.key)) {
        return null;
      }
    }
    return entry.value();
  }
}
