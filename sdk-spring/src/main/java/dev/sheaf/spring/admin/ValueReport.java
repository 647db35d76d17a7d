// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The endpoint's report on a key. Immutable.
 *
 * @param key the key as UTF-8 text
 * @param keyHex the key's bytes
 * @param type the type by Redis' name
 * @param ttlMillis the time to live; null without one
 * @param encoding the server's internal encoding; null if unknown
 * @param memoryBytes -1 if unknown
 * @param node the node that has the slot; null on a single server
 * @param elements the number of elements; 1 for a string
 * @param storedBytes the sum over the values below
 * @param originalBytes the sum over the values below; -1 if one is unknown
 * @param valuesShown whether this user sees values, and not only their sizes
 * @param values the value, or the first elements
 * @param note why values are omitted; null otherwise
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
   * @param form the recognised format
   * @param formCertain whether the format identifies itself
   * @param algorithm null if it is not compressed
   * @param originalBytes -1 if unknown
   * @param ratio stored by original
   * @param kind json, text, hex or none
   * @param value JSON with redacted fields, text, or bytes in hexadecimal; null if not shown
   * @param complete whether the value is not truncated
   * @param redactedFields the number of replaced fields
   * @param withheld why it is not shown; null otherwise
   * @param problem why it cannot be decoded; null otherwise
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

  /** Returns the number of replaced fields in all values. */
  int redactedFields() {
    return values.stream().mapToInt(Value::redactedFields).sum();
  }
}
