// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A command as a server describes it.
 *
 * @param name in upper case, of a subcommand with its container's: {@code CLIENT|ID}
 * @param flags those of {@link #FLAGS} that it has
 * @param keys where its keys are, in the notation of the table of commands
 */
record DescribedCommand(String name, Set<String> flags, List<String> keys) {

  /** What is of interest here. */
  private static final Set<String> FLAGS =
      Set.of("write", "readonly", "blocking", "pubsub", "may_replicate");

  /** Reads the reply to COMMAND, with all subcommands, in the order of names. */
  static List<DescribedCommand> of(Object reply) {
    List<DescribedCommand> commands = new ArrayList<>();
    addAll((List<?>) reply, commands);
    commands.sort((a, b) -> a.name.compareTo(b.name));
    return commands;
  }

  private static void addAll(List<?> entries, List<DescribedCommand> commands) {
    for (Object entry : entries) {
      List<?> fields = (List<?>) entry;
      Set<String> flags = new TreeSet<>();
      for (Object flag : (List<?>) fields.get(2)) {
        if (FLAGS.contains(flag.toString())) {
          flags.add(flag.toString());
        }
      }
      List<String> keys =
          ((List<?>) fields.get(8)).stream().flatMap(spec -> notation(map(spec))).toList();
      commands.add(
          new DescribedCommand(fields.get(0).toString().toUpperCase(Locale.ROOT), flags, keys));
      addAll((List<?>) fields.get(9), commands);
    }
  }

  private static Stream<String> notation(Map<String, Object> spec) {
    String flags = spec.get("flags").toString();
    if (flags.contains("not_key")) {
      return Stream.of();
    }
    String access = flags.contains("RO") ? "r" : "w";
    Map<String, Object> begin = map(spec.get("begin_search"));
    Map<String, Object> find = map(spec.get("find_keys"));
    if (begin.get("type").equals("unknown") || find.get("type").equals("unknown")) {
      return Stream.of(access + "?");
    }
    Map<String, Object> from = map(begin.get("spec"));
    Map<String, Object> extent = map(find.get("spec"));
    if (begin.get("type").equals("keyword")) {
      String word = access + from.get("keyword") + "@" + from.get("startfrom");
      boolean one = number(extent, "lastkey") == 0;
      return Stream.of(word + (one ? "" : number(extent, "limit") == 2 ? ":half" : ":all"));
    }
    int first = number(from, "index");
    if (find.get("type").equals("keynum")) {
      return Stream.of(access + first + "#" + every(extent));
    }
    int last = number(extent, "lastkey");
    int step = number(extent, "keystep");
    if (last >= 0) {
      return Stream.iterate(first, i -> i <= first + last, i -> i + step).map(i -> access + i);
    }
    return Stream.of(access + first + ".." + (last == -1 ? "" : last) + every(extent));
  }

  /** Which of the arguments are keys, if not all. */
  private static String every(Map<String, Object> extent) {
    int step = number(extent, "keystep");
    return step == 1 ? "" : "/" + step;
  }

  private static int number(Map<String, Object> map, String name) {
    return Integer.parseInt(map.get(name).toString());
  }

  /** A map as RESP2 has it; an empty one for what is none. */
  private static Map<String, Object> map(Object reply) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (reply instanceof List<?> list) {
      for (int i = 0; i + 1 < list.size(); i += 2) {
        map.put(list.get(i).toString(), list.get(i + 1));
      }
    }
    return map;
  }

  /** Reads what {@link #toString} has written. */
  static DescribedCommand parse(String line) {
    List<String> words = Arrays.asList(line.split(" "));
    Set<String> flags = new TreeSet<>();
    List<String> keys = new ArrayList<>();
    for (String word : words.subList(1, words.size())) {
      (FLAGS.contains(word) ? flags : keys).add(word);
    }
    return new DescribedCommand(words.get(0), flags, keys);
  }

  @Override
  public String toString() {
    return String.join(
        " ", Stream.of(Stream.of(name), flags.stream(), keys.stream()).flatMap(s -> s).toList());
  }
}
