// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.IdleStrings;
import dev.sheaf.embedded.internal.node.ServerNode;
import java.util.List;

/**
 * The figures of idle compression since the start, on all nodes. A snapshot.
 *
 * @param compressed the number of compressions
 * @param expanded the number of decompressions because a command used the value
 * @param bytesBefore the total original length of the compressed values
 * @param bytesAfter their total compressed length
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
