// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

/** A connection factory does not say where it connects to, in a way that this starter knows. */
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
