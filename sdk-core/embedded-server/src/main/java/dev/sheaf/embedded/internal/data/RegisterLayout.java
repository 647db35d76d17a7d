// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/** What both encodings of a HyperLogLog have in common. */
final class RegisterLayout {
  /** Bytes before the registers. */
  static final int HEADER = 16;

  /** How many registers there are. */
  static final int REGISTERS = 1 << 14;
}
