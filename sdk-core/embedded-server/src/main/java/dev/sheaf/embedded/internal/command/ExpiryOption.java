// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.CommandException;

/** Reads the times of SET, GETEX and EXPIRE, with Redis' bounds. */
final class ExpiryOption {
  /** Milliseconds since the epoch from EX, PX, EXAT or PXAT (in upper case) and its number. */
  static long absolute(Call call, String unit, int at) {
    long value = call.longArg(at);
    boolean seconds = unit.startsWith("EX");
    if (value <= 0 || (seconds && value > Long.MAX_VALUE / 1000)) {
      throw invalid(call);
    }
    long millis = seconds ? value * 1000 : value;
    if (!unit.endsWith("AT")) {
      if (millis > Long.MAX_VALUE - call.now()) {
        throw invalid(call);
      }
      millis += call.now();
    }
    return millis;
  }

  static CommandException invalid(Call call) {
    return Errors.of("ERR invalid expire time in '" + call.command.name() + "' command");
  }
}
