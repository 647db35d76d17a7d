// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import java.util.function.Supplier;

/**
 * Repeats an attempt to connect to learn why it fails. When a server refuses the handshake, Lettuce
 * closes the socket, and sometimes reports the closing and not the refusal.
 */
public final class ConnectAttempts {

  private static final int MAX_ATTEMPTS = 3;

  private ConnectAttempts() {}

  /**
   * Connects.
   *
   * @throws RuntimeException the failure of the last attempt
   */
  public static <T> T connect(Supplier<T> connecting) {
    for (int attempt = 1; ; attempt++) {
      try {
        return connecting.get();
      } catch (RuntimeException e) {
        if (attempt == MAX_ATTEMPTS || !ConnectFailures.isHangUp(e)) {
          throw e;
        }
      }
    }
  }
}
