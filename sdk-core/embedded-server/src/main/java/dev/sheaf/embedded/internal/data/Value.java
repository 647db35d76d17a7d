// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/** The value of a key, with its time to live. */
public abstract class Value {
  public static final long NO_EXPIRY = -1;

  private long expireAt = NO_EXPIRY;
  // In seconds, unsigned: in four bytes, so that a string takes 32 bytes instead of 40.
  private int usedAtSeconds;

  /** Milliseconds since the epoch, or {@link #NO_EXPIRY}. Set through {@link Database}. */
  public final long expireAt() {
    return expireAt;
  }

  final void expireAt(long millis) {
    expireAt = millis;
  }

  /** The last use by a command, in milliseconds with a resolution of seconds, as in Redis. */
  public final long usedAt() {
    return Integer.toUnsignedLong(usedAtSeconds) * 1000;
  }

  public final void usedAt(long millis) {
    usedAtSeconds = (int) (millis / 1000);
  }

  /** Returns the name in TYPE. */
  public abstract String type();

  /** Returns the name in OBJECT ENCODING. */
  public abstract String encoding(Encodings encodings);

  /** Returns an independent copy without the time to live. */
  public abstract Value copy();

  /** Returns an estimated size in bytes, for MEMORY USAGE. */
  public abstract long memory();
}
