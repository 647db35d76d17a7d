// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

/**
 * The limits of an inspection. Immutable.
 *
 * @param maxReadBytes the largest value that is read from the server; 4 MiB by default. Elements of
 *     a key are judged by their mean size from MEMORY USAGE, and are read if that command is not
 *     allowed
 * @param maxOriginalBytes the largest value that is decompressed; 16 MiB by default
 * @param previewBytes the bytes of each value that are shown; 4 KiB by default
 * @param maxElements the elements of a key that are shown; 20 by default
 */
public record InspectionLimits(
    int maxReadBytes, int maxOriginalBytes, int previewBytes, int maxElements) {

  private static final InspectionLimits DEFAULTS =
      new InspectionLimits(4 << 20, 16 << 20, 4 << 10, 20);

  /**
   * Validates the limits.
   *
   * @throws IllegalArgumentException if one is not positive; the message names it
   */
  public InspectionLimits {
    requirePositive("maxReadBytes", maxReadBytes);
    requirePositive("maxOriginalBytes", maxOriginalBytes);
    requirePositive("previewBytes", previewBytes);
    requirePositive("maxElements", maxElements);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but was " + value);
    }
  }

  /** Returns the defaults named above. */
  public static InspectionLimits defaults() {
    return DEFAULTS;
  }
}
