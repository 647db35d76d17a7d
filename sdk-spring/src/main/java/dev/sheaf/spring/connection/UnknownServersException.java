// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

/** Thrown if a connection factory's servers cannot be read from its configuration. */
final class UnknownServersException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  UnknownServersException(String message) {
    super(message);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
