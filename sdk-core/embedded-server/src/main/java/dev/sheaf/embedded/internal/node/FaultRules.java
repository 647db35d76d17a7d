// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The injected faults of one node. Set from any thread, read on the command thread. */
public final class FaultRules {
  /** The kinds of faults of a command. */
  public enum Kind {
    ANSWER,
    DELAY,
    DROP_REPLY
  }

  /** Answers a command in place of the server. */
  public interface Answer {
    /** Returns the reply, as {@link Reply#value} accepts it, or {@link FaultRules#PROCEED}. */
    @Nullable Object to(String command, byte[][] args);
  }

  /** The result that lets the server run the command. */
  public static final Object PROCEED = new Object();

  private static final Answer NONE = (command, args) -> PROCEED;

  private static final class Rule {
    final Kind kind;
    final String command;
    final Answer answer;
    final long delayNanos;
    long left;

    Rule(Kind kind, String command, long times, Answer answer, long delayNanos) {
      this.kind = kind;
      this.command = command.toLowerCase(Locale.ROOT);
      this.left = times;
      this.answer = answer;
      this.delayNanos = delayNanos;
    }

    boolean concerns(Kind wanted, String name) {
      return kind == wanted && left > 0 && (command.equals("*") || command.equals(name));
    }
  }

  /** The count of a rule without an end. */
  public static final long ALWAYS = Long.MAX_VALUE;

  private final List<Rule> rules = new ArrayList<>();
  private volatile boolean armed;
  public volatile boolean loading;
  public volatile boolean readOnly;
  public volatile long cutAfterBytes = -1;

  public synchronized void answer(String command, long times, Answer answer) {
    add(new Rule(Kind.ANSWER, command, times, answer, 0));
  }

  public synchronized void delay(String command, long times, long nanos) {
    add(new Rule(Kind.DELAY, command, times, NONE, nanos));
  }

  public synchronized void dropReply(String command, long times) {
    add(new Rule(Kind.DROP_REPLY, command, times, NONE, 0));
  }

  private void add(Rule rule) {
    rules.add(rule);
    armed = true;
  }

  public synchronized void clear() {
    rules.clear();
    armed = false;
    loading = false;
    readOnly = false;
    cutAfterBytes = -1;
  }

  public boolean isArmed() {
    return armed;
  }

  /** Returns the reply to this execution, or {@link #PROCEED} if the server must run it. */
  public @Nullable Object takeAnswer(String command, byte[][] args) {
    Rule rule = take(Kind.ANSWER, command);
    return rule == null ? PROCEED : rule.answer.to(command, args);
  }

  /** Returns how long this execution must wait first, in nanoseconds. */
  public long takeDelayNanos(String command) {
    Rule rule = take(Kind.DELAY, command);
    return rule == null ? 0 : rule.delayNanos;
  }

  /** Returns whether the reply to this execution is dropped. */
  public boolean takeDroppedReply(String command) {
    return take(Kind.DROP_REPLY, command) != null;
  }

  private @Nullable Rule take(Kind kind, String command) {
    return armed ? takeArmed(kind, command) : null;
  }

  private synchronized @Nullable Rule takeArmed(Kind kind, String command) {
    for (Rule rule : rules) {
      if (rule.concerns(kind, command)) {
        if (rule.left != ALWAYS) {
          rule.left--;
        }
        return rule;
      }
    }
    return null;
  }
}
