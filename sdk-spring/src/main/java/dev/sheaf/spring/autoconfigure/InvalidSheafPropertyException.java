// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

/** Thrown if a property of the starter has an unusable value. */
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
