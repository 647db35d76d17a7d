// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import java.util.function.Supplier;

/**
 * The attempts at one address. Lettuce closes a socket whose server refused the handshake, and now
 * and then reports the closing and not the refusal; then another attempt learns the reason.
 */
public final class ConnectAttempts {

  private static final int MAX_ATTEMPTS = 3;

  private ConnectAttempts() {}

  /**
   * What the connecting gives.
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
