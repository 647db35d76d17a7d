package dev.sheaf.benchmarks.jmh;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Tells, for each algorithm, how small documents become and how fast. */
public final class CompressionTable {

  private static final int TEN_KB = 10_240;
  private static final int OPERATIONS = 10_000;
  private static final long NANOS_PER_ROUND = 2_000_000_000L;

  private CompressionTable() {}

  /** Measures and prints. */
  public static void print(PrintStream out) {
    List<byte[]> documents = Documents.all();
    long bytes = documents.stream().mapToLong(document -> document.length).sum();
    out.printf(Locale.ROOT, "%,d documents, %,d bytes%n%n", documents.size(), bytes);
    out.println("| Algorithm | Stored | Compress | Decompress | 10,000 times 10 KB |");
    out.println("|---|---|---|---|---|");
    for (Compression compression : Compression.all()) {
      documents.forEach(compression::check);
      List<byte[]> stored = documents.stream().map(compression::compress).toList();
      long storedBytes = stored.stream().mapToLong(document -> document.length).sum();
      out.printf(
          Locale.ROOT,
          "| %s | %.3f | %,.0f MB/s | %,.0f MB/s | %.2f s |%n",
          compression.title(),
          (double) storedBytes / bytes,
          perSecond(bytes, () -> documents.forEach(compression::compress)),
          perSecond(bytes, () -> stored.forEach(compression::decompress)),
          tenThousand(compression));
    }
  }

  /** The fastest of several rounds, the first of which are the warm-up. */
  private static double perSecond(long bytes, Runnable round) {
    long best = Long.MAX_VALUE;
    long end = System.nanoTime() + NANOS_PER_ROUND;
    do {
      long start = System.nanoTime();
      round.run();
      best = Math.min(best, System.nanoTime() - start);
    } while (System.nanoTime() < end);
    return bytes * 1e3 / best;
  }

  private static double tenThousand(Compression compression) {
    byte[] value = Documents.ofSize(TEN_KB);
    boolean slow = compression.title().equals(Compression.SLOWEST);
    int operations = slow ? OPERATIONS / 50 : OPERATIONS;
    long start = System.nanoTime();
    for (int i = 0; i < operations; i++) {
      compression.decompress(compression.compress(value));
    }
    return (System.nanoTime() - start) / 1e9 * OPERATIONS / operations;
  }
}
