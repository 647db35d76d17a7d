// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

/** A connection factory cannot batch, and the application has said that it has to. */
public final class NotBatchingException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  public NotBatchingException(String factory, String reason) {
    super("Connections of " + factory + " do not batch: " + reason);
  }
}
