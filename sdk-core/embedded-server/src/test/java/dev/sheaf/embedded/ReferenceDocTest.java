// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.internal.command.Commands;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Edition;
import dev.sheaf.embedded.internal.protocol.Group;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps docs/reference-server.md true; run with -Dsheaf.docs.write=true to write it anew. */
class ReferenceDocTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "reference-server.md");
  private static final String BEGIN = "<!-- commands: made from the command table -->\n";

  private static String commands() {
    StringBuilder page = new StringBuilder(BEGIN);
    for (Group group : Group.values()) {
      List<Command> rows =
          Stream.of(Edition.values())
              .flatMap(edition -> Commands.of(edition).table().rows().stream())
              .collect(Collectors.toMap(Command::name, row -> row, (old, newer) -> old))
              .values()
              .stream()
              .filter(row -> row.group() == group && !row.name().endsWith("|help"))
              .sorted(Comparator.comparing(Command::name))
              .toList();
      page.append("\n### ")
          .append(group.title)
          .append("\n\n| Command | Since | |\n|---|---|---|\n");
      for (Command row : rows) {
        if (row.subcommands.isEmpty() || row.arity() == -1) {
          page.append("| ")
              .append(row.name().replace('|', ' ').toUpperCase(Locale.ROOT))
              .append(" | ")
              .append(isOfRedis(row) ? "" : "Valkey ")
              .append(row.since())
              .append(" | ")
              .append(row.summary())
              .append(" |\n");
        }
      }
    }
    return page.toString();
  }

  private static boolean isOfRedis(Command row) {
    return Commands.of(Edition.REDIS_8_0).table().find(row.name()) != null;
  }

  @Test
  void page_listsEveryCommandOfTheTable() throws IOException {
    String page = Files.readString(PAGE);
    String head = page.substring(0, page.indexOf(BEGIN));
    if (Boolean.getBoolean("sheaf.docs.write")) {
      Files.writeString(PAGE, head + commands());
    }
    assertThat(page.substring(head.length()))
        .as(
            "docs/reference-server.md differs from the command table; write it anew with"
                + " -Dtest=ReferenceDocTest -Dsheaf.docs.write=true")
        .isEqualTo(commands());
  }
}
