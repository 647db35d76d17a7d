package dev.sheaf.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * A client, and, where many keys are read, the way it reads them.
 *
 * @param client the client
 * @param way the way, or null where single keys are read
 */
record Contender(Client client, @Nullable Way way) {

  /** As results and options name it. */
  String label() {
    return way == null ? client.name() : client.name() + " " + way.name();
  }

  /** As people name it. */
  String title() {
    return way == null ? client.title() : client.title() + " " + client.nameOf(way);
  }
}
