package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.internal.command.Commands;
import dev.sheaf.embedded.internal.protocol.Categories;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Flag;
import dev.sheaf.embedded.internal.protocol.Group;
import dev.sheaf.embedded.internal.protocol.KeyAccess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What our table says of each command against what a real server says. */
class CommandTableIT {
  /** Accepted here for clients newer than Redis 7.0. */
  private static final List<String> NEWER = List.of("client|no-touch", "client|setinfo");

  private static final class Parser {
    private final String[] lines;
    private int at;

    Parser(String reply) {
      lines = reply.split("\r\n", -1);
    }

    Object next() {
      String line = lines[at++];
      String rest = line.substring(1);
      return switch (line.charAt(0)) {
        case '*' -> {
          List<Object> items = new ArrayList<>();
          for (int i = Integer.parseInt(rest); i > 0; i--) {
            items.add(next());
          }
          yield items;
        }
        case '$' -> rest.equals("-1") ? "nil" : lines[at++];
        default -> rest;
      };
    }
  }

  private static void collect(Object described, Map<String, List<?>> into) {
    if (described instanceof List<?> row) {
      into.put(String.valueOf(row.get(0)), row);
      if (row.get(9) instanceof List<?> subcommands) {
        subcommands.forEach(sub -> collect(sub, into));
      }
    }
  }

  @Test
  void arityFlagsAndKeys_areThoseOfRedis(@TempDir Path folder) throws Exception {
    Map<String, List<?>> theirs = new HashMap<>();
    try (RedisProcess redis = RedisProcess.start(folder);
        RawConnection raw = new RawConnection(redis.port())) {
      if (new Parser(raw.call("COMMAND")).next() instanceof List<?> rows) {
        rows.forEach(row -> collect(row, theirs));
      }
    }
    List<String> differences = new ArrayList<>();
    for (Command ours : Commands.instance().table().rows()) {
      List<?> row = theirs.get(ours.name());
      if (row == null) {
        boolean expected = NEWER.contains(ours.name()) || ours.group() == Group.SENTINEL;
        if (!expected && !ours.group().title().equals("server")) {
          differences.add(ours.name() + ": unknown to redis");
        }
        continue;
      }
      compare(differences, ours.name() + " arity", ours.arity(), row.get(1));
      TreeSet<String> flags = new TreeSet<>();
      for (Flag flag : ours.flags()) {
        if (flag != Flag.MAY_REPLICATE) {
          flags.add(flag.name().toLowerCase(Locale.ROOT));
        }
      }
      if (ours.keys().movable()) {
        flags.add("movablekeys");
      }
      TreeSet<String> theirFlags = new TreeSet<>();
      if (row.get(2) instanceof List<?> words) {
        words.forEach(word -> theirFlags.add(String.valueOf(word)));
      }
      compare(differences, ours.name() + " flags", flags, theirFlags);
      TreeSet<String> categories = new TreeSet<>();
      Categories.of(ours).forEach(category -> categories.add("@" + category));
      compare(differences, ours.name() + " categories", categories, words(row.get(6)));
      compare(differences, ours.name() + " first key", ours.keys().first(), row.get(3));
      compare(differences, ours.name() + " last key", ours.keys().last(), row.get(4));
      compare(differences, ours.name() + " key step", ours.keys().step(), row.get(5));
      if (row.get(8) instanceof List<?> specs && !specs.isEmpty() && !isVariable(ours)) {
        compareAccess(differences, ours, 0, specs.get(0));
        if (specs.size() > 1) {
          compareAccess(differences, ours, 1, specs.get(specs.size() - 1));
        }
      }
    }
    assertThat(differences).isEmpty();
  }

  /** Whether its options decide what it does to its key. */
  private static boolean isVariable(Command command) {
    return command.name().equals("set") || command.name().equals("bitfield");
  }

  private static void compareAccess(List<String> differences, Command ours, int key, Object spec) {
    List<?> pairs = spec instanceof List<?> list ? list : List.of();
    TreeSet<String> words = words(pairs.get(pairs.indexOf("flags") + 1));
    boolean reads = words.contains("access");
    boolean writes = words.removeAll(List.of("insert", "update", "delete"));
    if (!words.contains("not_key")) {
      compare(
          differences,
          ours.name() + " key " + key,
          KeyAccess.of(ours, key, new byte[0][]),
          new KeyAccess(reads, writes));
    }
  }

  private static TreeSet<String> words(Object list) {
    TreeSet<String> words = new TreeSet<>();
    if (list instanceof List<?> items) {
      items.forEach(item -> words.add(String.valueOf(item)));
    }
    return words;
  }

  private static void compare(List<String> differences, String what, Object ours, Object theirs) {
    if (!String.valueOf(ours).equals(String.valueOf(theirs))) {
      differences.add(what + ": ours " + ours + ", redis " + theirs);
    }
  }
}
