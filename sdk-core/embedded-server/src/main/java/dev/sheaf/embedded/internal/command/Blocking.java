// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.node.BlockedClient;
import dev.sheaf.embedded.internal.node.Nodes;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Shared code of the blocking commands: time-outs, and making a client wait. */
final class Blocking {
  /** Returns the deadline in milliseconds since the epoch; zero for none. */
  static long deadline(Call call, int timeoutAt) {
    Double seconds =
        Errors.found(
            Numbers.parseDouble(call.arg(timeoutAt)), "ERR timeout is not a float or out of range");
    double millis = Math.ceil(seconds * 1000);
    Errors.refuseIf(millis > (double) Long.MAX_VALUE - call.now(), "ERR timeout is out of range");
    Errors.refuseIf(millis < 0, "ERR timeout is negative");
    return millis == 0 ? 0 : call.now() + (long) millis;
  }

  /**
   * Makes the client wait until one of the keys can serve it.
   *
   * @param attempt writes the reply if the key can serve it
   */
  static void await(
      Call call, List<byte[]> keys, long deadline, BlockedClient.Attempt attempt, Runnable none) {
    if (!call.mayBlock) {
      none.run();
      return;
    }
    var blocked = call.node.blocked;
    blocked.block(
        new BlockedClient(
            call.client,
            call.client.dbIndex,
            keys,
            deadline,
            key -> Dispatcher.serve(call, () -> attempt.serve(key)),
            none));
    if (deadline != 0) {
      Nodes nodes = call.node.nodes;
      var unused =
          nodes
              .thread()
              .schedule(
                  () -> blocked.expire(nodes.refreshNow()),
                  deadline - call.now(),
                  TimeUnit.MILLISECONDS);
    }
  }
}
