// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/** Settings of a cjson table; they outlive a script, as in a server. */
final class CjsonSettings {
  static final int MAX_PRECISION = 14;

  boolean sparseConvert;
  int sparseRatio = 2;
  int sparseSafe = 10;
  int encodeMaxDepth = 1000;
  int decodeMaxDepth = 1000;
  int encodeInvalidNumbers;
  boolean decodeInvalidNumbers = true;
  boolean keepBuffer = true;
  int precision = MAX_PRECISION;
}
