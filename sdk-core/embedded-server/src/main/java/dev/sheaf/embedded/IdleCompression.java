// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.IdleStrings;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.List;

/**
 * What compressing idle values has done since the start, on all nodes. A snapshot.
 *
 * @param compressed values compressed, each as often as that happened
 * @param expanded values expanded again because a command used them
 * @param bytesBefore the length of the compressed values together
 * @param bytesAfter what was kept of them
 */
public record IdleCompression(long compressed, long expanded, long bytesBefore, long bytesAfter) {
  static IdleCompression of(List<ServerNode> nodes) {
    long compressed = 0;
    long expanded = 0;
    long before = 0;
    long after = 0;
    for (ServerNode node : nodes) {
      for (IdleStrings idle : node.idle) {
        compressed += idle.compressed();
        before += idle.bytesBefore();
        after += idle.bytesAfter();
      }
      for (Database db : node.databases) {
        expanded += db.expanded();
      }
    }
    return new IdleCompression(compressed, expanded, before, after);
  }
}
