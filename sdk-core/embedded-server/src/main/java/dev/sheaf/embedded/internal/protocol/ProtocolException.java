// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

/** A protocol error of the client, which gets the message and is disconnected. */
public final class ProtocolException extends Exception {
  ProtocolException(String what) {
    super("ERR Protocol error: " + what, null, false, false);
  }

  static void when(boolean wrong, String what) throws ProtocolException {
    if (wrong) {
      throw new ProtocolException(what);
    }
  }
}
