// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

/**
 * How much an inspection looks at. Immutable.
 *
 * @param maxReadBytes larger values are not read from the server; 4 MiB by default. Elements of a
 *     key are judged by their mean size, as MEMORY USAGE tells it, and read where it may not be
 *     asked
 * @param maxOriginalBytes larger values are not decompressed; 16 MiB by default
 * @param previewBytes so much of each value is shown; 4 KiB by default
 * @param maxElements so many elements of a key are shown; 20 by default
 */
public record InspectionLimits(
    int maxReadBytes, int maxOriginalBytes, int previewBytes, int maxElements) {

  private static final InspectionLimits DEFAULTS =
      new InspectionLimits(4 << 20, 16 << 20, 4 << 10, 20);

  /**
   * Checks the limits.
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

  /** The defaults named above. */
  public static InspectionLimits defaults() {
    return DEFAULTS;
  }
}
