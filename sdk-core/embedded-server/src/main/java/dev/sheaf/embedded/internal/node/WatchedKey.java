// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.Database;
import java.util.Arrays;

/** A key that a client watches. */
public record WatchedKey(Database db, byte[] key) {
  boolean same(Database otherDb, byte[] otherKey) {
    return db == otherDb && Arrays.equals(key, otherKey);
  }
}
