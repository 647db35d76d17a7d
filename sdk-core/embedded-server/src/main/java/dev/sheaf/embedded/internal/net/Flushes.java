// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * The connections with unsent replies. They are flushed after all readable sockets have been read,
 * as in Redis. Waking the receiver is most of the cost of a reply, and a client that is awake needs
 * no further wake-up.
 */
final class Flushes {
  /** A connection with replies to send. */
  interface Sender {
    void flush();
  }

  private final EventLoop loop;
  private List<Sender> waiting = new ArrayList<>();
  private List<Sender> spare = new ArrayList<>();
  private boolean scheduled;

  Flushes(EventLoop loop) {
    this.loop = loop;
  }

  void add(Sender connection) {
    waiting.add(connection);
    if (!scheduled) {
      scheduled = true;
      // Tasks to run once the sockets of this round have been read.
      loop.execute(
          () -> {
            scheduled = false;
            flush();
          });
    }
  }

  /** Sends all replies now. */
  void flush() {
    List<Sender> now = waiting;
    waiting = spare;
    for (Sender connection : now) {
      connection.flush();
    }
    now.clear();
    spare = now;
  }
}
