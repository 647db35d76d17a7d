package dev.sheaf.embedded.net;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/** The connections with unsent replies. They are sent once per socket read, not once per reply. */
final class Flushes {
  /**
   * How often in a row new replies are sent at once: a client in this JVM may answer each with
   * another request.
   */
  private static final int MAX_ROUNDS = 16;

  private final EventLoop loop;
  private List<ClientConnection> waiting = new ArrayList<>();
  private List<ClientConnection> spare = new ArrayList<>();
  private boolean inBatch;
  private boolean flushing;

  Flushes(EventLoop loop) {
    this.loop = loop;
  }

  void beginBatch() {
    inBatch = true;
  }

  void add(ClientConnection connection) {
    if (!inBatch && waiting.isEmpty()) {
      loop.execute(this::flushAll);
    }
    waiting.add(connection);
  }

  void endBatch() {
    inBatch = false;
    flushAll();
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
      loop.execute(this::flushAll);
    }
  }

  private void flushOnce() {
    List<ClientConnection> now = waiting;
    waiting = spare;
    for (ClientConnection connection : now) {
      connection.flush();
    }
    now.clear();
    spare = now;
  }
}
