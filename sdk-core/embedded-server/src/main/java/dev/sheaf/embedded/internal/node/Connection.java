// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.protocol.Reply;

/** The socket side of a client. */
public interface Connection {
  /**
   * Writes replies in the client's protocol. They are sent once all readable sockets have been
   * read.
   */
  Reply reply();

  /** Switches the protocol of the replies: 2 or 3. */
  void protocol(int version);

  /** Closes the connection once everything written so far has been sent. */
  void closeAfterReplies();

  void close();

  /** Continues reading, and runs commands that arrived while the client was blocked. */
  void resume();

  /** Returns its form in CLIENT LIST. */
  String remoteAddress();

  String localAddress();

  boolean isUnixSocket();
}
