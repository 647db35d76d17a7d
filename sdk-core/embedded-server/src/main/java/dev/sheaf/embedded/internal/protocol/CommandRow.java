// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** A row of commands.txt while it is parsed. */
final class CommandRow {
  final Group group;
  final String name;
  int arity;
  final String summary;
  final Set<Flag> flags = EnumSet.noneOf(Flag.class);
  final Set<String> categories = new LinkedHashSet<>();
  final List<KeySpec> keys = new ArrayList<>();
  final List<String> tips = new ArrayList<>();
  String event;
  String since = "";
  boolean valkeyOnly;

  /**
   * @param line {@code name arity words | summary}
   */
  CommandRow(Group group, String line) {
    this.group = group;
    int bar = line.indexOf(" | ");
    String[] words = line.substring(0, bar).split(" ", -1);
    summary = line.substring(bar + " | ".length());
    name = words[0];
    event = name;
    arity = Integer.parseInt(words[1]);
    for (int i = 2; i < words.length; i++) {
      take(words[i]);
    }
  }

  /** Returns the command name of a row. */
  static String name(String line) {
    return line.substring(0, line.indexOf(' '));
  }

  boolean isIn(Edition edition) {
    return valkeyOnly ? edition.isValkey() : edition.has(since);
  }

  /**
   * Applies a change of newer servers.
   *
   * @param line {@code version words}, or a note
   */
  void amend(Edition edition, String line) {
    int blank = line.indexOf(' ');
    String rest = line.substring(blank + 1);
    if (line.startsWith("note ")) {
      note(line);
    } else if (edition.has(line.substring(0, blank))) {
      if (rest.startsWith("note ")) {
        note(rest);
      } else {
        List.of(rest.split(" ")).forEach(this::take);
      }
    }
  }

  /** Completes the row. */
  CommandRow finished() {
    categories.addAll(Categories.implied(flags, group));
    return this;
  }

  private void take(String word) {
    if (word.startsWith("-tip=")) {
      tips.remove(word.substring("-tip=".length()));
    } else if (word.startsWith("-")) {
      flags.remove(flag(word.substring(1)));
    } else if (word.equals("valkey")) {
      valkeyOnly = true;
    } else if (word.startsWith("arity=")) {
      arity = Integer.parseInt(word.substring("arity=".length()));
    } else if (word.matches("\\d:.*")) {
      keys.set(word.charAt(0) - '0', KeySpec.parse(word.substring(2)));
    } else if (word.startsWith("@")) {
      categories.add(word.substring(1));
    } else if (word.contains("@")) {
      keys.add(KeySpec.parse(word));
    } else if (word.startsWith("event=")) {
      event = word.substring("event=".length());
    } else if (word.startsWith("tip=")) {
      tips.add(word.substring("tip=".length()));
    } else if (Character.isDigit(word.charAt(0))) {
      since = word;
    } else {
      flags.add(flag(word));
    }
  }

  private static Flag flag(String word) {
    return Flag.valueOf(word.toUpperCase(Locale.ROOT));
  }

  /**
   * @param line {@code note place text}: Redis' note on a key specification
   */
  private void note(String line) {
    String[] parts = line.split(" ", 3);
    int place = Integer.parseInt(parts[1]);
    keys.set(place, keys.get(place).noted(parts[2]));
  }
}
