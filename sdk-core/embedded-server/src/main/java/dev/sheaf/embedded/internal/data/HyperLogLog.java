// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The string that PFADD stores: {@code HYLL}, the encoding, three unused bytes, the last count in
 * eight bytes, little-endian (the highest bit marks it as stale), and 16,384 registers, dense or
 * sparse. Byte for byte as in Redis 7.0, so that values can be exchanged.
 *
 * <p>The lowest 14 bits of an element's MurmurHash64A with Redis' seed select the register; the
 * zeros above them give its value. The count is estimated as in Otmar Ertl, "New cardinality
 * estimation algorithms for HyperLogLog sketches" (arXiv:1702.01284), which Redis uses since
 * 4.0.11.
 */
public final class HyperLogLog {
  private static final int HEADER = DenseRegisters.HEADER;

  /** The number of registers. */
  public static final int REGISTERS = DenseRegisters.REGISTERS;

  private static final byte[] MAGIC = Bytes.of("HYLL");
  private static final int ENCODING_AT = 4;
  private static final int COUNT_AT = 8;
  private static final int DENSE = 0;
  private static final int SPARSE = 1;
  private static final int SEED = 0xadc83b19;

  /** The bits of a hash that determine a register's value. */
  private static final int VALUE_BITS = 50;

  private static final double ALPHA = 0.5 / Math.log(2);

  /** Thrown if the runs of a sparse value do not make up all registers. */
  public static final class CorruptException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CorruptException() {
      super("corrupt sparse registers", null, false, false);
    }
  }

  private byte[] bytes;
  private final int maxSparseBytes;
  private @Nullable SparseRegisters sparse;

  private HyperLogLog(byte[] bytes, int maxSparseBytes) {
    this.bytes = bytes;
    this.maxSparseBytes = maxSparseBytes;
  }

  /** Returns an empty one, whose count is zero and not stale. */
  public static HyperLogLog create(int maxSparseBytes) {
    byte[] bytes = SparseRegisters.empty();
    System.arraycopy(MAGIC, 0, bytes, 0, MAGIC.length);
    bytes[ENCODING_AT] = SPARSE;
    return new HyperLogLog(bytes, maxSparseBytes);
  }

  /** Returns whether a string has the format. */
  public static boolean isOne(byte[] bytes) {
    return bytes.length >= HEADER
        && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
        && (bytes[ENCODING_AT] == SPARSE
            || (bytes[ENCODING_AT] == DENSE && bytes.length == DenseRegisters.LENGTH));
  }

  /**
   * Wraps the bytes of a string; a dense one is changed in place.
   *
   * @param maxSparseBytes longer sparse values are converted to dense ones
   */
  public static HyperLogLog over(byte[] bytes, int maxSparseBytes) {
    return new HyperLogLog(bytes, maxSparseBytes);
  }

  /** Returns the whole value. */
  public byte[] bytes() {
    if (sparse != null) {
      bytes = sparse.toBytes();
      sparse = null;
    }
    return bytes;
  }

  public boolean isDense() {
    return bytes[ENCODING_AT] == DENSE;
  }

  /**
   * Adds an element. Returns true if a register was raised.
   *
   * @throws CorruptException if the register cannot be found
   */
  public boolean add(byte[] element) {
    long hash = MurmurHash.hash(element, SEED);
    int zeros = Long.numberOfTrailingZeros(hash >>> 14 | 1L << VALUE_BITS);
    return raise((int) (hash & REGISTERS - 1), zeros + 1);
  }

  private boolean raise(int register, int to) {
    if (!isDense()) {
      if (sparse == null) {
        sparse = new SparseRegisters(bytes);
      }
      switch (sparse.raise(register, to, maxSparseBytes)) {
        case SAME -> {
          return false;
        }
        case RAISED -> {
          return true;
        }
        case CORRUPT -> throw new CorruptException();
        case TOO_LARGE -> makeDense();
      }
    }
    if (DenseRegisters.get(bytes, register) >= to) {
      return false;
    }
    DenseRegisters.set(bytes, register, to);
    return true;
  }

  /**
   * Converts to the dense encoding, if necessary.
   *
   * @throws CorruptException without a change
   */
  public void makeDense() {
    byte[] from = bytes();
    if (isDense()) {
      return;
    }
    byte[] dense = Arrays.copyOf(Arrays.copyOf(from, HEADER), DenseRegisters.LENGTH);
    dense[ENCODING_AT] = DENSE;
    boolean valid =
        SparseRegisters.visit(
            from,
            (first, count, value) -> {
              for (int i = 0; value > 0 && i < count; i++) {
                DenseRegisters.set(dense, first + i, value);
              }
            });
    if (!valid) {
      throw new CorruptException();
    }
    bytes = dense;
  }

  /**
   * Returns the value of each register.
   *
   * @throws CorruptException if there are too few or too many
   */
  public byte[] registers() {
    byte[] values = new byte[REGISTERS];
    byte[] from = bytes();
    if (isDense()) {
      for (int i = 0; i < REGISTERS; i++) {
        values[i] = (byte) DenseRegisters.get(from, i);
      }
    } else if (!SparseRegisters.visit(
        from, (first, count, value) -> Arrays.fill(values, first, first + count, (byte) value))) {
      throw new CorruptException();
    }
    return values;
  }

  /** Raises each register to at least the given value. */
  public void raiseAll(byte[] values) {
    for (int i = 0; i < REGISTERS; i++) {
      if (values[i] != 0) {
        raise(i, values[i]);
      }
    }
  }

  /** Marks the count as stale. */
  public void outdate() {
    bytes()[COUNT_AT + 7] |= (byte) 0x80;
  }

  public boolean isOutdated() {
    return bytes()[COUNT_AT + 7] < 0;
  }

  /** Returns the last estimate. */
  public long knownCount() {
    long count = 0;
    for (int i = 7; i >= 0; i--) {
      count = count << 8 | (bytes()[COUNT_AT + i] & 0xff);
    }
    return count;
  }

  public void knownCount(long count) {
    for (int i = 0; i < 8; i++) {
      bytes()[COUNT_AT + i] = (byte) (count >>> (8 * i));
    }
  }

  /** Estimates the number of distinct elements from registers. */
  public static long estimate(byte[] registers) {
    int[] histogram = new int[1 << 6];
    for (byte value : registers) {
      histogram[value]++;
    }
    double m = REGISTERS;
    double z = m * tau((m - histogram[VALUE_BITS + 1]) / m);
    for (int value = VALUE_BITS; value >= 1; value--) {
      z = (z + histogram[value]) * 0.5;
    }
    z += m * sigma(histogram[0] / m);
    double estimate = ALPHA * m * m / z;
    // The result of C's llroundl outside its range on the platforms of Redis.
    return estimate >= 0x1p63 ? Long.MIN_VALUE : Math.round(estimate);
  }

  /** The sum for registers of zero, in the paper's notation. */
  private static double sigma(double share) {
    if (share == 1) {
      return Double.POSITIVE_INFINITY;
    }
    double x = share;
    double y = 1;
    double z = x;
    double before;
    do {
      x *= x;
      before = z;
      z += x * y;
      y += y;
    } while (before != z);
    return z;
  }

  /** The sum for saturated registers, in the paper's notation. */
  private static double tau(double share) {
    if (share == 0 || share == 1) {
      return 0;
    }
    double x = share;
    double y = 1;
    double z = 1 - x;
    double before;
    do {
      x = Math.sqrt(x);
      before = z;
      y *= 0.5;
      z -= (1 - x) * (1 - x) * y;
    } while (before != z);
    return z / 3;
  }

  /** Describes the runs of the sparse encoding, as PFDEBUG DECODE does. */
  public String runs() {
    StringBuilder text = new StringBuilder();
    byte[] from = bytes();
    for (int at = HEADER; at < from.length; at += SparseRegisters.width(from[at])) {
      int count = SparseRegisters.count(from, at);
      int value = SparseRegisters.value(from[at]);
      if (value > 0) {
        text.append("v:").append(value).append(',').append(count).append(' ');
      } else {
        text.append(SparseRegisters.width(from[at]) == 2 ? "Z:" : "z:").append(count).append(' ');
      }
    }
    return text.toString().trim();
  }
}
