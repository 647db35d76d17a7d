// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.protocol.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The HELP subcommand, generated from the table. */
final class Help {
  static void write(Call call) {
    Command container = call.node.commands.find(Bytes.lower(call.arg(0)));
    List<String> lines = new ArrayList<>();
    String name = call.option(0);
    lines.add(name + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    if (container != null) {
      container.subcommands.forEach(
          (sub, row) -> {
            lines.add(sub.toUpperCase(Locale.ROOT));
            lines.add("    " + row.summary());
          });
    }
    call.out.each(lines, call.out::status);
  }
}
