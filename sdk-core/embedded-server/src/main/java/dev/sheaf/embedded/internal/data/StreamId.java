// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/**
 * The id of a stream entry: milliseconds and a sequence number, both unsigned.
 *
 * @param millis the first part
 * @param sequence the second part
 */
public record StreamId(long millis, long sequence) implements Comparable<StreamId> {
  public static final StreamId MIN = new StreamId(0, 0);
  public static final StreamId MAX = new StreamId(-1, -1);

  @Override
  public int compareTo(StreamId other) {
    int byMillis = Long.compareUnsigned(millis, other.millis);
    return byMillis != 0 ? byMillis : Long.compareUnsigned(sequence, other.sequence);
  }

  /** Returns the next id; not for {@link #MAX}. */
  public StreamId next() {
    return sequence == -1 ? new StreamId(millis + 1, 0) : new StreamId(millis, sequence + 1);
  }

  /** Returns the previous id; not for {@link #MIN}. */
  public StreamId previous() {
    return sequence == 0 ? new StreamId(millis - 1, -1) : new StreamId(millis, sequence - 1);
  }

  public boolean isZero() {
    return millis == 0 && sequence == 0;
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(millis) + "-" + Long.toUnsignedString(sequence);
  }
}
