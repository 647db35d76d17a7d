package dev.sheaf.embedded.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Faults on demand. Set from any thread, consulted on the command thread. */
public final class FaultRules {
  private static final class Rule {
    final String command;
    final String errorLine;
    int left;

    Rule(String command, int times, String errorLine) {
      this.command = command;
      this.left = times;
      this.errorLine = errorLine;
    }
  }

  private final List<Rule> rules = new ArrayList<>();
  private volatile boolean armed;

  public synchronized void failNext(String command, int times, String errorLine) {
    rules.add(new Rule(command.toLowerCase(Locale.ROOT), times, errorLine));
    armed = true;
  }

  public synchronized void clear() {
    rules.clear();
    armed = false;
  }

  /** The error this execution has to answer, or null. */
  public @Nullable String take(String command) {
    return armed ? takeArmed(command) : null;
  }

  private synchronized @Nullable String takeArmed(String command) {
    for (Rule rule : rules) {
      if (rule.left > 0 && (rule.command.equals("*") || rule.command.equals(command))) {
        rule.left--;
        return rule.errorLine;
      }
    }
    return null;
  }
}
