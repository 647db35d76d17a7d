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

  /**
   * What was measured of one algorithm.
   *
   * @param stored the part of the original that is stored
   * @param compressSpeed in MB of the original a second
   * @param decompressSpeed likewise
   * @param tenThousandSeconds how long it takes to compress and restore 10 KB 10,000 times
   */
  record Row(
      String name,
      double stored,
      double compressSpeed,
      double decompressSpeed,
      double tenThousandSeconds) {}

  /** Measures and prints. */
  public static void print(PrintStream out) {
    List<byte[]> documents = Documents.all();
    long bytes = documents.stream().mapToLong(document -> document.length).sum();
    String size = String.format(Locale.ROOT, "%,d documents, %,d bytes", documents.size(), bytes);
    out.println(size);
    out.println();
    out.println("| Algorithm | Stored | Compress | Decompress | 10,000 times 10 KB |");
    out.println("|---|---|---|---|---|");
    for (Compression compression : Compression.values()) {
      Row row = row(compression, documents, bytes);
      out.printf(
          Locale.ROOT,
          "| %s | %.3f | %,.0f MB/s | %,.0f MB/s | %.2f s |%n",
          row.name(),
          row.stored(),
          row.compressSpeed(),
          row.decompressSpeed(),
          row.tenThousandSeconds());
    }
  }

  private static Row row(Compression compression, List<byte[]> documents, long bytes) {
    documents.forEach(compression::check);
    List<byte[]> stored = documents.stream().map(compression::compress).toList();
    long storedBytes = stored.stream().mapToLong(document -> document.length).sum();
    return new Row(
        compression.title(),
        (double) storedBytes / bytes,
        perSecond(bytes, () -> documents.forEach(compression::compress)),
        perSecond(bytes, () -> stored.forEach(compression::decompress)),
        tenThousand(compression));
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
    int operations = compression == Compression.BARE_BROTLI_11 ? OPERATIONS / 50 : OPERATIONS;
    long start = System.nanoTime();
    for (int i = 0; i < operations; i++) {
      compression.decompress(compression.compress(value));
    }
    return (System.nanoTime() - start) / 1e9 * OPERATIONS / operations;
  }
}
