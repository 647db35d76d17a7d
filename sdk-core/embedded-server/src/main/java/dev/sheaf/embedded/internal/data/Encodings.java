// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/**
 * The settings that decide the name of an encoding: the kind of server, and its limits of compact
 * collections.
 *
 * @param newer whether it names them as servers newer than Redis 7.0 do
 * @param hashEntries the most fields of a compact hash
 * @param hashBytes the longest field or value of one
 * @param sortedSetEntries the most members of a compact sorted set
 * @param sortedSetBytes the longest member of one
 */
public record Encodings(
    boolean newer, long hashEntries, long hashBytes, long sortedSetEntries, long sortedSetBytes) {
  /** Redis 7.0 with its default settings. */
  static final Encodings DEFAULT = new Encodings(false, 512, 64, 128, 64);
}
