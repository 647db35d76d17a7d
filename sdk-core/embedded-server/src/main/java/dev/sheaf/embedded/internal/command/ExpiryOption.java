// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.CommandException;

/** Parses the expiries of SET, GETEX and EXPIRE, with Redis' bounds. */
final class ExpiryOption {
  /**
   * Returns milliseconds since the epoch for EX, PX, EXAT or PXAT (in upper case) and its number.
   */
  static long absolute(Call call, String unit, int at) {
    if (call.longArg(at) <= 0) {
      throw invalid(call);
    }
    return millis(call, at, unit.startsWith("EX"), unit.endsWith("AT"));
  }

  /** Returns milliseconds since the epoch for an absolute or relative number. */
  static long millis(Call call, int at, boolean seconds, boolean absolute) {
    long value = call.longArg(at);
    if (seconds && (value > Long.MAX_VALUE / 1000 || value < Long.MIN_VALUE / 1000)) {
      throw invalid(call);
    }
    long millis = seconds ? value * 1000 : value;
    if (!absolute && millis > Long.MAX_VALUE - call.now()) {
      throw invalid(call);
    }
    return absolute ? millis : millis + call.now();
  }

  static CommandException invalid(Call call) {
    return Errors.of("ERR invalid expire time in '" + call.command.name() + "' command");
  }
}
