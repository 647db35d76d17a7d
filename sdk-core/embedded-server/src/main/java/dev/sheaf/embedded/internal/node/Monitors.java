// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.LinkedHashSet;
import java.util.Set;

/** The clients that have said MONITOR. */
public final class Monitors {
  private final Set<Client> clients = new LinkedHashSet<>();

  public boolean isEmpty() {
    return clients.isEmpty();
  }

  public boolean has(Client client) {
    return !clients.isEmpty() && clients.contains(client);
  }

  public void add(Client client) {
    clients.add(client);
  }

  public void remove(Client client) {
    clients.remove(client);
  }

  public void tell(String line) {
    for (Client client : clients) {
      client.pushes().status(line);
    }
  }
}
