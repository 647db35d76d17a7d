// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The filter pairs of CLIENT KILL. */
final class ClientFilter {
  private final Call call;
  private final List<Predicate<Client>> conditions = new ArrayList<>();
  private boolean skipMe = true;

  ClientFilter(Call call) {
    this.call = call;
    for (int i = 2; i < call.count(); i += 2) {
      Errors.syntaxIf(i + 1 == call.count());
      add(call.option(i), i + 1);
    }
  }

  private void add(String filter, int at) {
    String value = call.text(at);
    switch (filter) {
      case "ID" -> {
        Long id = Numbers.parseLong(call.arg(at));
        if (id == null || id < 1) {
          throw id == null && call.node.edition().isValkey()
              ? Errors.syntax()
              : Errors.of("ERR client-id should be greater than 0");
        }
        conditions.add(client -> client.id == id);
      }
      case "TYPE" -> conditions.add(ofType(value));
      case "ADDR" -> conditions.add(client -> has(client, value, true));
      case "LADDR" -> conditions.add(client -> has(client, value, false));
      case "USER" -> {
        Errors.refuseIf(call.node.users.find(value) == null, "ERR No such user '%s'", value);
        conditions.add(client -> client.user.name.equals(value));
      }
      case "MAXAGE" -> {
        Errors.syntaxIf(!call.node.edition().has("7.4.0") && !call.node.edition().isValkey());
        long seconds = call.longArg(at, "ERR maxage is not an integer or out of range");
        Errors.refuseIf(seconds < 1, "ERR maxage should be greater than 0");
        conditions.add(client -> (call.now() - client.createdAt) / 1000 >= seconds);
      }
      case "SKIPME" -> skipMe = call.either(at, "YES", "NO");
      default -> throw Errors.syntax();
    }
  }

  static Predicate<Client> ofType(String type) {
    Errors.refuseIf(
        !type.matches("(?i)normal|master|replica|slave|pubsub"),
        "ERR Unknown client type '%s'",
        type);
    return client -> type.equalsIgnoreCase(client.isSubscriber() ? "pubsub" : "normal");
  }

  private static boolean has(Client client, String address, boolean remote) {
    Connection connection = client.connection;
    return connection != null
        && address.equals(remote ? connection.remoteAddress() : connection.localAddress());
  }

  List<Client> matching() {
    List<Client> found = new ArrayList<>();
    for (Client client : call.node.clients.values()) {
      if (!(skipMe && client == call.client)
          && conditions.stream().allMatch(condition -> condition.test(client))) {
        found.add(client);
      }
    }
    return found;
  }
}
