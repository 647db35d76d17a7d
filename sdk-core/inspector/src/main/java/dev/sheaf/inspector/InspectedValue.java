// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import org.jspecify.annotations.Nullable;

/**
 * One value, or one element of a key, as it was found. Immutable.
 *
 * @param name the field, index, score or identifier of an element; null for a string
 * @param form what it was recognised as
 * @param algorithm such as "snappy"; null if it is not compressed
 * @param storedBytes its size on the server
 * @param originalBytes its size decompressed; -1 if unknown
 * @param kind how the preview shows it
 * @param preview the beginning of the value, cut at the limit; empty if it cannot be read
 * @param isComplete whether the preview shows all of it
 * @param problem why it cannot be read; null if it can
 */
public record InspectedValue(
    @Nullable String name,
    StoredForm form,
    @Nullable String algorithm,
    long storedBytes,
    long originalBytes,
    Kind kind,
    String preview,
    boolean isComplete,
    @Nullable String problem) {

  /** How a preview shows a value. */
  public enum Kind {
    /** Text that begins and ends like a JSON document. */
    JSON,
    /** UTF-8 text. */
    TEXT,
    /** Anything else, in hexadecimal. */
    HEX
  }

  /** How much of the original is stored, such as 0.3; 1 if it is not compressed or unknown. */
  public double ratio() {
    return originalBytes <= 0 ? 1 : (double) storedBytes / originalBytes;
  }
}
