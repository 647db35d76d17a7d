// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.protocol.Reply;

/** The socket side of a client. */
public interface Connection {
  /** Replies in the client's protocol; they leave once all sockets with input have been read. */
  Reply reply();

  /** Switches the protocol of the replies: 2 or 3. */
  void protocol(int version);

  /** Closes once everything written so far has left. */
  void closeAfterReplies();

  void close();

  /** Goes on with reading, and with commands that arrived while the client could not go on. */
  void resume();

  /** As CLIENT LIST shows it. */
  String remoteAddress();

  String localAddress();

  boolean isUnixSocket();
}
