// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

/**
 * The arguments of a call as they travel.
 *
 * @param count how many there are
 * @param frames all of them, as they stand in a request
 */
record EncodedArguments(int count, byte[] frames) {

  /**
   * Encodes arguments.
   *
   * @throws NullPointerException if one is null
   * @throws IllegalArgumentException if one has a type that has no bytes of its own
   */
  static EncodedArguments of(String script, Object[] args) {
    byte[][] encoded = Arguments.encode(script, args);
    return new EncodedArguments(encoded.length, Frames.of(encoded));
  }
}
