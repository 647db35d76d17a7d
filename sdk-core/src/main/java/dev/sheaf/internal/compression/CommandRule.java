// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.RespRequest;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How compression treats one command, from the table of {@link CommandTraits}.
 *
 * @param name the command's name in upper case
 * @param arguments which arguments are values
 * @param reply which parts of the reply are values
 * @param refusal for which keys it is refused
 * @param reason why it is refused; empty if it never is
 */
record CommandRule(
    String name, ArgumentShape arguments, ReplyShape reply, Refusal refusal, String reason) {

  private static final CommandRule UNKNOWN =
      new CommandRule("?", ArgumentShape.NONE, ReplyShape.NONE, Refusal.NONE, "");

  private static final Map<CommandTraits, CommandRule> BY_ROW =
      CommandTraits.all().stream()
          .collect(Collectors.toUnmodifiableMap(Function.identity(), CommandRule::read));

  private static final CommandRule[] BY_TYPE =
      Arrays.stream(CommandType.values())
          .map(type -> of(CommandTraits.of(type)))
          .toArray(CommandRule[]::new);

  /** The reasons for refusals. */
  private enum Reason {
    CHANGES("it would change them in their middle"),
    PARTS("it would return or compare a part of them"),
    LENGTH("it would tell the length of what is stored"),
    ORDER("it would order by the bytes of values, or fetch others");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  private static CommandRule read(CommandTraits row) {
    String[] refused = row.setting("refused", "NONE").split(":", -1);
    return new CommandRule(
        row.name(),
        ArgumentShape.valueOf(row.setting("args", "NONE")),
        ReplyShape.valueOf(row.setting("reply", "NONE")),
        Refusal.valueOf(refused[0]),
        refused.length < 2 ? "" : Reason.valueOf(refused[1]).text);
  }

  /** Returns the rule for a command; never null. */
  @SuppressWarnings("EnumOrdinal") // Indexed by ordinal, because every command is looked up here.
  static CommandRule of(ProtocolKeyword type) {
    return type instanceof CommandType known
        ? BY_TYPE[known.ordinal()]
        : of(CommandTraits.of(type));
  }

  /** Returns the rule for a row of the table; never null. */
  static CommandRule of(CommandTraits row) {
    return BY_ROW.getOrDefault(row, UNKNOWN);
  }

  /** Returns whether requests are sent unchanged. */
  boolean leavesRequests() {
    return arguments == ArgumentShape.NONE && refusal == Refusal.NONE;
  }

  /** Returns which parts of the reply to this request are values. */
  ReplyShape replyTo(byte[] request) {
    return switch (name) {
      case "HSCAN" -> isWithoutValues(new RespRequest(request)) ? ReplyShape.NONE : reply;
      case "HRANDFIELD" ->
          new RespRequest(request).indexOf("WITHVALUES", 2) > 0 ? reply : ReplyShape.NONE;
      default -> reply;
    };
  }

  /** The argument of MATCH can be any text, including NOVALUES. */
  private static boolean isWithoutValues(RespRequest scan) {
    for (int i = 3; i < scan.count(); i++) {
      if (scan.is(i, "MATCH") || scan.is(i, "COUNT")) {
        i++;
      } else if (scan.is(i, "NOVALUES")) {
        return true;
      }
    }
    return false;
  }
}
