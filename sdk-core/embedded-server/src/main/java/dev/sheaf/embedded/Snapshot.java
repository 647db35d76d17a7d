// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A consistent copy of the data of all nodes, for {@link EmbeddedServer#restore}. Immutable; can be
 * restored any number of times.
 */
public final class Snapshot {
  private final Map<ServerNode, List<Database>> databases = new LinkedHashMap<>();

  Snapshot(List<ServerNode> nodes) {
    for (ServerNode node : nodes) {
      List<Database> copies = new ArrayList<>();
      for (Database db : node.databases) {
        copies.add(db.detachedCopy());
      }
      databases.put(node, copies);
    }
  }

  void restore(List<ServerNode> nodes) {
    for (ServerNode node : nodes) {
      List<Database> copies = databases.get(node);
      for (int i = 0; i < ServerNode.DATABASES; i++) {
        if (copies == null) {
          node.db(i).clear();
        } else {
          node.db(i).copyFrom(copies.get(i));
          announce(node.db(i));
        }
      }
    }
  }

  private static void announce(Database db) {
    for (var e = db.table().first(); e != null; e = e.after()) {
      db.changed(e.key);
    }
  }
}
