// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/** What a key holds, with its time to live. */
public abstract class Value {
  public static final long NO_EXPIRY = -1;

  private long expireAt = NO_EXPIRY;
  // In seconds, unsigned: with it in four bytes a string takes 32 and not 40.
  private int usedAtSeconds;

  /** Milliseconds since the epoch, or {@link #NO_EXPIRY}. Change it through {@link Database}. */
  public final long expireAt() {
    return expireAt;
  }

  final void expireAt(long millis) {
    expireAt = millis;
  }

  /** When a command last looked at the key, in milliseconds; known to the second, as in Redis. */
  public final long usedAt() {
    return Integer.toUnsignedLong(usedAtSeconds) * 1000;
  }

  public final void usedAt(long millis) {
    usedAtSeconds = (int) (millis / 1000);
  }

  /** As TYPE names it. */
  public abstract String type();

  /** As OBJECT ENCODING names it. */
  public abstract String encoding(Encodings encodings);

  /** An independent copy without the time to live. */
  public abstract Value copy();

  /** A rough size in bytes, for MEMORY USAGE. */
  public abstract long memory();
}
