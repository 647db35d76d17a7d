// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

/** A property of the starter has a value that cannot be used. */
public final class InvalidSheafPropertyException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String property;
  private final String remedy;

  public InvalidSheafPropertyException(
      String property, String reason, String remedy, Throwable cause) {
    super(property + ": " + reason, cause);
    this.property = property;
    this.remedy = remedy;
  }

  String property() {
    return property;
  }

  String remedy() {
    return remedy;
  }
}
