package dev.sheaf.benchmarks.jmh;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.Decoder;
import com.aayushatharva.brotli4j.encoder.Encoder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.Compressors;
import dev.sheaf.compression.ValueCompression;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.xerial.snappy.Snappy;

/**
 * A way to compress that is measured: as Sheaf stores values, or a library by itself.
 *
 * @param title how tables name it
 * @param packing compresses
 * @param unpacking restores
 */
record Compression(String title, Step packing, Step unpacking) {

  static final String SLOWEST = "Brotli, quality 11";

  private static final byte[] KEY = {'k'};

  /** Bytes made of others. */
  interface Step {
    byte[] of(byte[] bytes) throws IOException;
  }

  /** All that are measured. */
  static List<Compression> all() {
    Brotli4jLoader.ensureAvailability();
    return List.of(
        new Compression("Snappy, without the envelope", Snappy::compress, Snappy::uncompress),
        sheaf("Snappy", Compressors.snappy()),
        sheaf("LZ4", Compressors.lz4()),
        sheaf("Zstandard, level 1", Compressors.zstd(1)),
        sheaf("Zstandard, level 3", Compressors.zstd(3)),
        brotli("Brotli, quality 4", 4),
        brotli(SLOWEST, 11));
  }

  private static Compression sheaf(String title, Compressor compressor) {
    ValueCompression values =
        ValueCompression.of(CompressionOptions.of(CompressionPolicy.all(compressor)));
    return new Compression(title, value -> values.compress(KEY, value), values::decompress);
  }

  private static Compression brotli(String title, int quality) {
    Encoder.Parameters parameters = new Encoder.Parameters().setQuality(quality);
    return new Compression(
        title,
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

  /** Fails if a value does not come back. */
  void check(byte[] value) {
    if (!Arrays.equals(decompress(compress(value)), value)) {
      throw new IllegalStateException(title + " gives another value back");
    }
  }
}
