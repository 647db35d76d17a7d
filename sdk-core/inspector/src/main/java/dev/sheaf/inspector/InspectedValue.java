// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import org.jspecify.annotations.Nullable;

/**
 * One value, or one element of a key. Immutable.
 *
 * @param name the field, index, score or identifier of an element; null for a string
 * @param form the recognised format
 * @param algorithm such as "snappy"; null if it is not compressed
 * @param storedBytes its size on the server
 * @param originalBytes its decompressed size; -1 if unknown
 * @param kind the kind of the preview
 * @param preview the start of the value, truncated at the limit; empty if it cannot be decoded
 * @param isComplete whether the preview shows all of it
 * @param problem why it cannot be decoded; null otherwise
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

  /** The kinds of a preview. */
  public enum Kind {
    /** Text that starts and ends like a JSON document. */
    JSON,
    /** UTF-8 text. */
    TEXT,
    /** Anything else, in hexadecimal. */
    HEX
  }

  /** Returns stored size by original size, such as 0.3; 1 if it is not compressed or unknown. */
  public double ratio() {
    return originalBytes <= 0 ? 1 : (double) storedBytes / originalBytes;
  }
}
