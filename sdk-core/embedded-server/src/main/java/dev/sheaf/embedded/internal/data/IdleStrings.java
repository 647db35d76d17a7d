// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.concurrent.TimeUnit;

/**
 * Scans a database in small steps, and compresses strings that have not been used for a while. They
 * are decompressed at their next use.
 */
public final class IdleStrings {
  /** Shorter strings are not compressed: the search costs what they save. */
  static final int MIN_BYTES = 256;

  /** Longer strings are not compressed, because that would delay all clients for milliseconds. */
  static final int MAX_BYTES = 1024 * 1024;

  /** How long a step can take; there are ten in a second. */
  private static final long VISIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Database database;
  private final long idleMillis;
  private long cursor;
  private long notBefore = Long.MIN_VALUE;
  private long compressed;
  private long bytesBefore;
  private long bytesAfter;

  public IdleStrings(Database database, long idleMillis) {
    this.database = database;
    this.idleMillis = idleMillis;
  }

  /**
   * Checks that compression is possible.
   *
   * @throws IllegalStateException without the LZ4 library
   */
  public static void requireLibrary() {
    try {
      ColdBytes.compress(new byte[MIN_BYTES]);
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "compressing idle values needs at.yawk.lz4:lz4-java on the class path", e);
    }
  }

  /** Runs a step of a few milliseconds. Pauses between two scans of all keys. */
  public void visit() {
    long now = database.now();
    if (database.size() == 0 || now < notBefore) {
      return;
    }
    long end = System.nanoTime() + VISIT_NANOS;
    do {
      cursor = database.table().scan(cursor, entry -> look(entry.value(), now));
      if (cursor == 0) {
        notBefore = now + idleMillis / 4;
        return;
      }
    } while (System.nanoTime() < end);
  }

  private void look(Value value, long now) {
    if (value instanceof StringValue string && now - string.usedAt() >= idleMillis) {
      int before = string.length();
      if (before >= MIN_BYTES && before <= MAX_BYTES && string.chill()) {
        compressed++;
        bytesBefore += before;
        bytesAfter += string.storedBytes();
      }
    }
  }

  /** Returns how many strings were compressed since the start, counting repetitions. */
  public long compressed() {
    return compressed;
  }

  public long bytesBefore() {
    return bytesBefore;
  }

  public long bytesAfter() {
    return bytesAfter;
  }
}
