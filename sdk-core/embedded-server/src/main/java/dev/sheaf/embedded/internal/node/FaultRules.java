package dev.sheaf.embedded.internal.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The faults of one node. Set from any thread, consulted on the command thread. */
public final class FaultRules {
  /** What happens to a command. */
  public enum Kind {
    ERROR,
    DELAY,
    DROP_REPLY
  }

  private static final class Rule {
    final Kind kind;
    final String command;
    final String errorLine;
    final long delayNanos;
    long left;

    Rule(Kind kind, String command, long times, String errorLine, long delayNanos) {
      this.kind = kind;
      this.command = command.toLowerCase(Locale.ROOT);
      this.left = times;
      this.errorLine = errorLine;
      this.delayNanos = delayNanos;
    }

    boolean concerns(Kind wanted, String name) {
      return kind == wanted && left > 0 && (command.equals("*") || command.equals(name));
    }
  }

  /** For a rule that never ends by itself. */
  public static final long ALWAYS = Long.MAX_VALUE;

  private final List<Rule> rules = new ArrayList<>();
  private volatile boolean armed;
  private volatile boolean loading;
  private volatile boolean readOnly;
  private volatile long cutAfterBytes = -1;

  public synchronized void fail(String command, long times, String errorLine) {
    add(new Rule(Kind.ERROR, command, times, errorLine, 0));
  }

  public synchronized void delay(String command, long times, long nanos) {
    add(new Rule(Kind.DELAY, command, times, "", nanos));
  }

  public synchronized void dropReply(String command, long times) {
    add(new Rule(Kind.DROP_REPLY, command, times, "", 0));
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

  public void loading(boolean yes) {
    loading = yes;
  }

  public boolean isLoading() {
    return loading;
  }

  public void readOnly(boolean yes) {
    readOnly = yes;
  }

  public boolean isReadOnly() {
    return readOnly;
  }

  /** How many more bytes of replies each connection gets before it is cut; negative for no end. */
  public void cutAfterBytes(long bytes) {
    cutAfterBytes = bytes;
  }

  public long cutAfterBytes() {
    return cutAfterBytes;
  }

  public boolean isArmed() {
    return armed;
  }

  /** The error this execution has to answer, or null. */
  public @Nullable String takeError(String command) {
    Rule rule = take(Kind.ERROR, command);
    return rule == null ? null : rule.errorLine;
  }

  /** How long this execution has to wait first, in nanoseconds. */
  public long takeDelayNanos(String command) {
    Rule rule = take(Kind.DELAY, command);
    return rule == null ? 0 : rule.delayNanos;
  }

  /** Whether the reply of this execution gets lost. */
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
