// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * The connections with unsent replies. They are sent when all sockets that had something to read
 * have been read, as Redis does: most of what a reply costs is waking who waits for it, and a
 * client that has just been woken takes what follows without that.
 */
final class Flushes {
  /** What has replies to send. */
  interface Sender {
    void flush();
  }

  /**
   * How often in a row new replies are sent at once: a client in this JVM may answer each with
   * another request.
   */
  private static final int MAX_ROUNDS = 16;

  private final EventLoop loop;
  private List<Sender> waiting = new ArrayList<>();
  private List<Sender> spare = new ArrayList<>();
  private boolean inBatch;
  private boolean scheduled;
  private boolean flushing;

  Flushes(EventLoop loop) {
    this.loop = loop;
  }

  /** What is added from here on is sent by {@link #endBatch}. */
  void beginBatch() {
    inBatch = true;
  }

  void add(Sender connection) {
    waiting.add(connection);
    if (!inBatch) {
      schedule();
    }
  }

  void endBatch() {
    inBatch = false;
    flushAll();
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      // Tasks run once the sockets of this round have been read.
      loop.execute(
          () -> {
            scheduled = false;
            flushAll();
          });
    }
  }

  private void flushAll() {
    if (flushing) {
      return;
    }
    flushing = true;
    try {
      for (int round = 0; round < MAX_ROUNDS && !waiting.isEmpty(); round++) {
        flushOnce();
      }
    } finally {
      flushing = false;
    }
    if (!waiting.isEmpty()) {
      schedule();
    }
  }

  private void flushOnce() {
    List<Sender> now = waiting;
    waiting = spare;
    for (Sender connection : now) {
      connection.flush();
    }
    now.clear();
    spare = now;
  }
}
