package dev.sheaf.embedded.net;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/** The connections with unsent replies. They are sent once per socket read, not once per reply. */
final class Flushes {
  private final EventLoop loop;
  private List<ClientConnection> waiting = new ArrayList<>();
  private List<ClientConnection> spare = new ArrayList<>();
  private boolean inBatch;

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
    List<ClientConnection> now = waiting;
    waiting = spare;
    for (ClientConnection connection : now) {
      connection.flush();
    }
    now.clear();
    spare = now;
  }
}
