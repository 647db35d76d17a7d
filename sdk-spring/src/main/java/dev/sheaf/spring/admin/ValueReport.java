// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the endpoint answers about a key. Immutable.
 *
 * @param key the key as UTF-8 text
 * @param keyHex the key's bytes
 * @param type as Redis names it
 * @param ttlMillis null for ever
 * @param encoding how the server keeps it; null if it does not tell
 * @param memoryBytes -1 if the server does not tell
 * @param node the node that has the slot; null on a single server
 * @param elements how many it has; 1 for a string
 * @param storedBytes the sum over the values below
 * @param originalBytes the sum over the values below; -1 if one is unknown
 * @param valuesShown whether this user sees values, and not only their sizes
 * @param values the value, or the first elements
 * @param note why values are left out; null if they are not
 */
record ValueReport(
    String key,
    String keyHex,
    String type,
    @Nullable Long ttlMillis,
    @Nullable String encoding,
    long memoryBytes,
    int slot,
    @Nullable String node,
    long elements,
    long storedBytes,
    long originalBytes,
    boolean valuesShown,
    List<Value> values,
    @Nullable String note) {

  /**
   * A value or an element.
   *
   * @param name the field, index, score or identifier; null for a string, and where it is not shown
   * @param form what it was recognised as
   * @param formCertain whether the form marks itself
   * @param algorithm null if it is not compressed
   * @param originalBytes -1 if unknown
   * @param ratio stored by original
   * @param kind json, text, hex or none
   * @param value JSON with redacted fields, text, or bytes in hexadecimal; null if it is not shown
   * @param complete whether the value is all of it
   * @param redactedFields how many of its fields were replaced
   * @param withheld why it is not shown; null if it is
   * @param problem why it cannot be read; null if it can
   */
  record Value(
      @Nullable String name,
      String form,
      boolean formCertain,
      @Nullable String algorithm,
      long storedBytes,
      long originalBytes,
      double ratio,
      String kind,
      @Nullable String value,
      boolean complete,
      int redactedFields,
      @Nullable String withheld,
      @Nullable String problem) {}

  /** How many fields were replaced in all. */
  int redactedFields() {
    return values.stream().mapToInt(Value::redactedFields).sum();
  }
}
