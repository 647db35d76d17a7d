// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.FaultRules;
import dev.sheaf.embedded.internal.protocol.CommandException;
import dev.sheaf.embedded.internal.protocol.RecordedReply;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A command that a {@link CommandInterceptor} answers. */
public final class InterceptedCommand {
  private final EmbeddedNode node;
  private final String name;
  private final byte[][] words;

  InterceptedCommand(EmbeddedNode node, String name, byte[][] words) {
    this.node = node;
    this.name = name;
    this.words = words;
  }

  /** Returns the node that it was sent to. */
  public EmbeddedNode node() {
    return node;
  }

  /** Returns the name in lower case; a subcommand as {@code client|setname}. */
  public String name() {
    return name;
  }

  /** Returns the arguments, read as UTF-8; a subcommand comes first. */
  public List<String> arguments() {
    return Arrays.stream(words)
        .skip(1)
        .map(word -> new String(word, StandardCharsets.UTF_8))
        .toList();
  }

  /**
   * Returns a copy of the bytes of one of the {@link #arguments}.
   *
   * @throws IndexOutOfBoundsException if the argument does not exist
   */
  public byte[] bytes(int argument) {
    return words[argument + 1].clone();
  }

  /** Runs the command and returns the server's own reply. */
  public Object proceed() {
    return FaultRules.PROCEED;
  }

  /** Returns a simple string reply, such as {@code OK}. */
  public Object status(String text) {
    return new RecordedReply.Text('+', Bytes.oneLine(text));
  }

  /**
   * Returns an error reply.
   *
   * @param line the whole line with its code, such as {@code ERR no}
   */
  public Object error(String line) {
    return new CommandException(line);
  }
}
