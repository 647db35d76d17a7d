// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Value;

/** NX, XX, GT and LT of EXPIRE. A key without a time to live counts as living for ever. */
record ExpireCondition(boolean nx, boolean xx, boolean gt, boolean lt) {
  static ExpireCondition parse(Call call, int from) {
    boolean nx = false;
    boolean xx = false;
    boolean gt = false;
    boolean lt = false;
    for (int i = from; i < call.count(); i++) {
      if (call.is(i, "NX")) {
        nx = true;
      } else if (call.is(i, "XX")) {
        xx = true;
      } else if (call.is(i, "GT")) {
        gt = true;
      } else if (call.is(i, "LT")) {
        lt = true;
      } else {
        throw Errors.of("ERR Unsupported option " + Bytes.untilNul(call.arg(i)));
      }
    }
    Errors.refuseIf(
        nx && (xx || gt || lt),
        "ERR NX and XX, GT or LT options at the same time are not compatible");
    Errors.refuseIf(gt && lt, "ERR GT and LT options at the same time are not compatible");
    return new ExpireCondition(nx, xx, gt, lt);
  }

  boolean allows(long current, long wanted) {
    boolean eternal = current == Value.NO_EXPIRY;
    return !(nx && !eternal)
        && !(xx && eternal)
        && !(gt && (eternal || wanted <= current))
        && !(lt && !eternal && wanted >= current);
  }
}
