// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.Decoder;
import com.aayushatharva.brotli4j.encoder.Encoder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.ValueCompression;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.xerial.snappy.Snappy;

/**
 * A measured way to compress, as Sheaf stores values, or a plain library: compressed sizes and
 * speed.
 *
 * @param title its name in tables
 * @param packing compresses
 * @param unpacking decompresses
 */
public record Compression(String title, Step packing, Step unpacking) {

  private static final int TEN_KB = 10_240;
  private static final int OPERATIONS = 10_000;
  private static final long NANOS_PER_ROUND = 2_000_000_000L;
  private static final byte[] KEY = {'k'};

  /** A conversion of bytes. */
  public interface Step {
    byte[] of(byte[] bytes) throws IOException;
  }

  /** Returns all measured ways. */
  static List<Compression> all() {
    Brotli4jLoader.ensureAvailability();
    return List.of(
        new Compression("Snappy, without the envelope", Snappy::compress, Snappy::uncompress),
        sheaf("Snappy", Compressor.snappy()),
        sheaf("LZ4", Compressor.lz4()),
        sheaf("Zstandard, level 1", Compressor.zstd(1)),
        sheaf("Zstandard, level 3", Compressor.zstd(3)),
        brotli(1),
        brotli(4),
        brotli(9),
        brotli(11));
  }

  private static Compression sheaf(String title, Compressor compressor) {
    ValueCompression values =
        ValueCompression.of(CompressionOptions.of(CompressionPolicy.all(compressor)));
    return new Compression(title, value -> values.compress(KEY, value), values::decompress);
  }

  private static Compression brotli(int quality) {
    Encoder.Parameters parameters = new Encoder.Parameters().setQuality(quality);
    return new Compression(
        "Brotli, quality " + quality,
        value -> Encoder.compress(value, parameters),
        stored -> Decoder.decompress(stored).getDecompressedData());
  }

  byte[] compress(byte[] value) {
    return done(packing, value);
  }

  byte[] decompress(byte[] stored) {
    return done(unpacking, stored);
  }

  private static byte[] done(Step step, byte[] bytes) {
    try {
      return step.of(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails if a value is not restored. */
  void check(byte[] value) {
    if (!Arrays.equals(decompress(compress(value)), value)) {
      throw new IllegalStateException(title + " gives another value back");
    }
  }

  /** Measures all ways, and prints a table. */
  public static void print(PrintStream out) {
    List<byte[]> documents = Documents.all();
    long bytes = documents.stream().mapToLong(document -> document.length).sum();
    out.printf(Locale.ROOT, "%,d documents, %,d bytes%n%n", documents.size(), bytes);
    out.println("| Algorithm | Stored | Compress | Decompress | 10,000 times 10 KB, processor |");
    out.println("|---|---|---|---|---|");
    for (Compression compression : all()) {
      documents.forEach(compression::check);
      List<byte[]> stored = documents.stream().map(compression::compress).toList();
      long storedBytes = stored.stream().mapToLong(document -> document.length).sum();
      out.printf(
          Locale.ROOT,
          "| %s | %.3f | %,.0f MB/s | %,.0f MB/s | %.2f s |%n",
          compression.title,
          (double) storedBytes / bytes,
          perSecond(bytes, () -> documents.forEach(compression::compress)),
          perSecond(bytes, () -> stored.forEach(compression::decompress)),
          tenThousand(compression));
    }
  }

  /** Returns the fastest of several rounds, after warm-up rounds. */
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

  /** Returns the thread's processor time; long ways are extrapolated from a part. */
  private static double tenThousand(Compression compression) {
    byte[] value = Documents.ofSize(TEN_KB);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    long nanos = 0;
    int operations = 0;
    for (; operations < OPERATIONS && nanos < NANOS_PER_ROUND; operations++) {
      compression.decompress(compression.compress(value));
      nanos = threads.getCurrentThreadCpuTime() - start;
    }
    return nanos / 1e9 * OPERATIONS / operations;
  }
}
