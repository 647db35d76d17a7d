// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

/** Thrown if a connection factory cannot batch although the application requires it. */
public final class NotBatchingException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  public NotBatchingException(String factory, String reason) {
    super("Connections of " + factory + " do not batch: " + reason);
  }
}
