package dev.sheaf.benchmarks;

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
import org.xerial.snappy.Snappy;

/** A way to compress that is measured: as Sheaf stores values, or a library by itself. */
public enum Compression {
  BARE_SNAPPY("Snappy, without the envelope") {
    @Override
    byte[] compress(byte[] value) {
      try {
        return Snappy.compress(value);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    byte[] decompress(byte[] stored) {
      try {
        return Snappy.uncompress(stored);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  },
  SNAPPY("Snappy") {
    private final ValueCompression sheaf = sheaf(Compressors.snappy());

    @Override
    byte[] compress(byte[] value) {
      return sheaf.compress(KEY, value);
    }

    @Override
    byte[] decompress(byte[] stored) {
      return sheaf.decompress(stored);
    }
  },
  LZ4("LZ4") {
    private final ValueCompression sheaf = sheaf(Compressors.lz4());

    @Override
    byte[] compress(byte[] value) {
      return sheaf.compress(KEY, value);
    }

    @Override
    byte[] decompress(byte[] stored) {
      return sheaf.decompress(stored);
    }
  },
  ZSTD_1("Zstandard, level 1") {
    private final ValueCompression sheaf = sheaf(Compressors.zstd(1));

    @Override
    byte[] compress(byte[] value) {
      return sheaf.compress(KEY, value);
    }

    @Override
    byte[] decompress(byte[] stored) {
      return sheaf.decompress(stored);
    }
  },
  ZSTD_3("Zstandard, level 3") {
    private final ValueCompression sheaf = sheaf(Compressors.zstd(3));

    @Override
    byte[] compress(byte[] value) {
      return sheaf.compress(KEY, value);
    }

    @Override
    byte[] decompress(byte[] stored) {
      return sheaf.decompress(stored);
    }
  },
  BARE_BROTLI_4("Brotli, quality 4") {
    @Override
    byte[] compress(byte[] value) {
      return brotli(value, 4);
    }

    @Override
    byte[] decompress(byte[] stored) {
      return unbrotli(stored);
    }
  },
  BARE_BROTLI_11("Brotli, quality 11") {
    @Override
    byte[] compress(byte[] value) {
      return brotli(value, 11);
    }

    @Override
    byte[] decompress(byte[] stored) {
      return unbrotli(stored);
    }
  };

  private static final byte[] KEY = {'k'};

  private final String title;

  Compression(String title) {
    this.title = title;
  }

  /** How tables name it. */
  String title() {
    return title;
  }

  abstract byte[] compress(byte[] value);

  abstract byte[] decompress(byte[] stored);

  /** Fails if a value does not come back. */
  void check(byte[] value) {
    if (!Arrays.equals(decompress(compress(value)), value)) {
      throw new IllegalStateException(this + " gives another value back");
    }
  }

  static ValueCompression sheaf(Compressor compressor) {
    return ValueCompression.of(CompressionOptions.of(CompressionPolicy.all(compressor)));
  }

  static byte[] brotli(byte[] value, int quality) {
    Brotli4jLoader.ensureAvailability();
    try {
      return Encoder.compress(value, new Encoder.Parameters().setQuality(quality));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] unbrotli(byte[] stored) {
    try {
      return Decoder.decompress(stored).getDecompressedData();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
