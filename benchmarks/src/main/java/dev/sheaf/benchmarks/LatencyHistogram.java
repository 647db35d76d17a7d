package dev.sheaf.benchmarks;

/** Counts of times, exact to three percent. Not thread-safe. */
final class LatencyHistogram {

  /** Each power of two is divided into that many equal parts. */
  private static final int PARTS_BITS = 5;

  private static final int PARTS = 1 << PARTS_BITS;

  private final long[] counts = new long[Long.SIZE * PARTS];
  private long total;
  private long longest;

  void add(long nanos) {
    long time = Math.max(0, nanos);
    counts[place(time)]++;
    total++;
    longest = Math.max(longest, time);
  }

  void addAll(LatencyHistogram other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    total += other.total;
    longest = Math.max(longest, other.longest);
  }

  long count() {
    return total;
  }

  long longest() {
    return longest;
  }

  /**
   * The time that a share of all times does not exceed, in nanoseconds.
   *
   * @param share from 0 to 1
   */
  long percentile(double share) {
    long wanted = (long) Math.ceil(share * total);
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= wanted && seen > 0) {
        return Math.min(longest, end(i));
      }
    }
    return longest;
  }

  private static int place(long nanos) {
    if (nanos < PARTS) {
      return (int) nanos;
    }
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    int part = (int) (nanos >>> (power - PARTS_BITS)) - PARTS;
    return (power - PARTS_BITS + 1) * PARTS + part;
  }

  /** The longest time of a place. */
  private static long end(int place) {
    if (place < PARTS) {
      return place;
    }
    int shift = place / PARTS - 1;
    long part = place % PARTS + PARTS;
    return ((part + 1) << shift) - 1;
  }
}
