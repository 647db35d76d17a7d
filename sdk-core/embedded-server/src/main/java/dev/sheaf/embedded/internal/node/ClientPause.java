// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** CLIENT PAUSE of one node: which commands wait, and until when. */
public final class ClientPause {
  private final CommandTime time;
  private final Supplier<Collection<Client>> clients;
  private long until;
  private boolean all;
  private final Set<Client> held = new HashSet<>();

  ClientPause(CommandTime time, Supplier<Collection<Client>> clients) {
    this.time = time;
    this.clients = clients;
  }

  /** Starts a pause. A current pause that is longer or stricter stays in effect. */
  public void begin(long untilMillis, boolean allCommands) {
    boolean running = until > time.now();
    all = allCommands || (running && all);
    until = running ? Math.max(until, untilMillis) : untilMillis;
    long wait = Math.max(0, until - time.now());
    if (wait < TimeUnit.DAYS.toMillis(1)) {
      var unused =
          time.thread().schedule(() -> endIfDue(time.refreshNow()), wait, TimeUnit.MILLISECONDS);
    }
  }

  public void end() {
    if (until != 0) {
      until = 0;
      held.clear();
      List.copyOf(clients.get()).forEach(Client::resume);
    }
  }

  void endIfDue(long now) {
    if (until != 0 && until <= now) {
      end();
    }
  }

  public boolean isOn() {
    return until != 0;
  }

  /** Returns the number of clients that wait for the end of the pause. */
  public int heldClients() {
    return held.size();
  }

  void forget(Client client) {
    held.remove(client);
  }

  /** Returns whether a command must wait now; {@code mayWrite} tells whether it can write. */
  public boolean holds(Client client, boolean mayWrite) {
    boolean holds = until != 0 && (all || mayWrite) && !client.isClosing();
    if (holds) {
      held.add(client);
    } else {
      held.remove(client);
    }
    return holds;
  }
}
