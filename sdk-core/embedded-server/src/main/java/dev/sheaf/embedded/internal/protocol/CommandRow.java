package dev.sheaf.embedded.internal.protocol;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** One row of commands.txt while it is read. */
final class CommandRow {
  final Group group;
  final String name;
  final int arity;
  final String summary;
  final Set<Flag> flags = EnumSet.noneOf(Flag.class);
  final Set<String> categories = new LinkedHashSet<>();
  final List<KeySpec> keys = new ArrayList<>();
  final List<String> tips = new ArrayList<>();
  String event;
  String since = "";

  /**
   * @param line {@code name arity words | summary}
   */
  CommandRow(Group group, String line) {
    this.group = group;
    int bar = line.indexOf(" | ");
    String[] words = line.substring(0, bar).split(" ");
    summary = line.substring(bar + " | ".length());
    name = words[0];
    event = name;
    arity = Integer.parseInt(words[1]);
    for (int i = 2; i < words.length; i++) {
      take(words[i]);
    }
    categories.addAll(Categories.implied(flags, group));
  }

  private void take(String word) {
    if (word.startsWith("@")) {
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
      flags.add(Flag.valueOf(word.toUpperCase(Locale.ROOT)));
    }
  }

  /**
   * @param line {@code note place text}: what Redis says of one of the places of keys
   */
  void note(String line) {
    String[] parts = line.split(" ", 3);
    int place = Integer.parseInt(parts[1]);
    keys.set(place, keys.get(place).noted(parts[2]));
  }
}
