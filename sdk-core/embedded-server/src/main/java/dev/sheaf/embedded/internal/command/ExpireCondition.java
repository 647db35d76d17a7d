// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Value;

/** The options NX, XX, GT and LT of EXPIRE. A key without a time to live counts as infinite. */
record ExpireCondition(boolean nx, boolean xx, boolean gt, boolean lt) {
  static ExpireCondition parse(Call call, int from) {
    boolean nx = false;
    boolean xx = false;
    boolean gt = false;
    boolean lt = false;
    for (int i = from; i < call.count(); i++) {
      switch (call.option(i)) {
        case "NX" -> nx = true;
        case "XX" -> xx = true;
        case "GT" -> gt = true;
        case "LT" -> lt = true;
        default -> throw Errors.of("ERR Unsupported option " + call.textOfC(i));
      }
    }
    Errors.refuseIf(
        nx && (xx || gt || lt),
        "ERR NX and XX, GT or LT options at the same time are not compatible");
    Errors.refuseIf(gt && lt, "ERR GT and LT options at the same time are not compatible");
    return new ExpireCondition(nx, xx, gt, lt);
  }

  /** Returns the condition of an option in upper case. */
  static ExpireCondition of(String option) {
    return new ExpireCondition(
        option.equals("NX"), option.equals("XX"), option.equals("GT"), option.equals("LT"));
  }

  boolean allows(long current, long wanted) {
    boolean eternal = current == Value.NO_EXPIRY;
    return !(nx && !eternal)
        && !(xx && eternal)
        && !(gt && (eternal || wanted <= current))
        && !(lt && !eternal && wanted >= current);
  }
}
