// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RespRequest;

/**
 * What is known of one command.
 *
 * @param name in upper case
 * @param arguments which arguments are values
 * @param reply which parts of its reply are values
 * @param refusal for which keys it is refused
 * @param reason why it is refused, or why its values are not compressed; empty where neither is so
 */
record CommandRule(
    String name, ArgumentShape arguments, ReplyShape reply, Refusal refusal, String reason) {

  /** Whether requests pass as they are. */
  boolean leavesRequests() {
    return arguments == ArgumentShape.NONE && refusal == Refusal.NONE;
  }

  /** Whether neither request nor reply has anything to do with compression. */
  boolean isUntouched() {
    return leavesRequests() && reply == ReplyShape.NONE;
  }

  /** Which parts of the reply to this request are values. */
  ReplyShape replyTo(byte[] request) {
    return switch (name) {
      case "HSCAN" -> isWithoutValues(new RespRequest(request)) ? ReplyShape.NONE : reply;
      case "HRANDFIELD" ->
          new RespRequest(request).indexOf("WITHVALUES", 2) > 0 ? reply : ReplyShape.NONE;
      default -> reply;
    };
  }

  /** MATCH may have any argument, NOVALUES too. */
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
