// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What COMMAND says of each command, here and on a real server. */
class CommandTableIT {
  private static final int FLAGS = 2;
  private static final int CATEGORIES = 6;
  private static final int SUBCOMMANDS = 9;

  /** Reads RESP3; sets and maps keep their kind as a first element. */
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
        case '*' -> items(new ArrayList<>(), Integer.parseInt(rest));
        case '~' -> items(new ArrayList<>(List.of("set")), Integer.parseInt(rest));
        case '%' -> items(new ArrayList<>(List.of("map")), 2 * Integer.parseInt(rest));
        case '$' -> lines[at++];
        default -> line;
      };
    }

    private List<Object> items(List<Object> into, int count) {
      for (int i = 0; i < count; i++) {
        into.add(next());
      }
      return into;
    }
  }

  private static Map<String, List<?>> commands(int port) throws IOException {
    Map<String, List<?>> found = new TreeMap<>();
    try (RawConnection raw = new RawConnection(port)) {
      raw.call("HELLO", "3");
      if (new Parser(raw.call("COMMAND")).next() instanceof List<?> rows) {
        rows.forEach(row -> collect(row, found));
      }
    }
    return found;
  }

  /** The order of flags, categories and subcommands means nothing. */
  private static void collect(Object described, Map<String, List<?>> into) {
    if (described instanceof List<?> row && row.size() > SUBCOMMANDS) {
      List<Object> kept = new ArrayList<>(row.subList(1, SUBCOMMANDS));
      for (int unordered : List.of(FLAGS, CATEGORIES)) {
        if (row.get(unordered) instanceof List<?> words) {
          kept.set(unordered - 1, words.stream().map(String::valueOf).sorted().toList());
        }
      }
      into.put(String.valueOf(row.get(0)), kept);
      if (row.get(SUBCOMMANDS) instanceof List<?> subcommands) {
        subcommands.forEach(sub -> collect(sub, into));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REDIS_7_0", "REDIS_8_0", "VALKEY_8_1"})
  void commands_areDescribedAsTheServerDescribesThem(Version version, @TempDir Path folder)
      throws Exception {
    try (RedisProcess redis = RedisProcess.start(version, folder);
        EmbeddedServer server = EmbeddedServer.builder().version(version).start()) {
      Map<String, List<?>> theirs = commands(redis.port());
      Map<String, List<?>> ours = commands(server.port());
      theirs.keySet().retainAll(ours.keySet());
      assertThat(ours).isNotEmpty().isEqualTo(theirs);
    }
  }
}
