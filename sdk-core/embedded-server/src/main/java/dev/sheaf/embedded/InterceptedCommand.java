// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.FaultRules;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A command on its way to the server, as a {@link CommandInterceptor} sees it. */
public final class InterceptedCommand {
  private final EmbeddedNode node;
  private final String name;
  private final byte[][] words;

  InterceptedCommand(EmbeddedNode node, String name, byte[][] words) {
    this.node = node;
    this.name = name;
    this.words = words;
  }

  /** The node that it was sent to. */
  public EmbeddedNode node() {
    return node;
  }

  /** In lower case; a subcommand as {@code client|setname}. */
  public String name() {
    return name;
  }

  /** What follows the name of the command, read as UTF-8; a subcommand comes first. */
  public List<String> arguments() {
    return Arrays.stream(words)
        .skip(1)
        .map(word -> new String(word, StandardCharsets.UTF_8))
        .toList();
  }

  /**
   * A copy of the bytes of one of the {@link #arguments}.
   *
   * @throws IndexOutOfBoundsException if there is no such argument
   */
  public byte[] bytes(int argument) {
    return words[argument + 1].clone();
  }

  /** The answer of the server itself, which runs the command. */
  public Object proceed() {
    return FaultRules.PROCEED;
  }

  /** A simple string, such as {@code OK}. */
  public Object status(String text) {
    return new RecordedReply.Text('+', Bytes.oneLine(text));
  }

  /**
   * An error.
   *
   * @param line the whole line with its code, such as {@code ERR no}
   */
  public Object error(String line) {
    return new CommandException(line);
  }
}
