// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.algorithm;

import dev.sheaf.compression.Compressor;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The algorithms of the wire format and their libraries. */
public enum Algorithm {
  SNAPPY(1, "org.xerial.snappy.Snappy", "org.xerial.snappy:snappy-java", SnappyCompressor::new),
  LZ4(2, "net.jpountz.lz4.LZ4Factory", "at.yawk.lz4:lz4-java", Lz4Compressor::new),
  ZSTD(
      3,
      "com.github.luben.zstd.ZstdCompressCtx",
      "com.github.luben:zstd-jni",
      () -> new ZstdCompressor(ZstdCompressor.DEFAULT_LEVEL));

  private final int id;
  private final String library;
  private final @Nullable Compressor compressor;

  Algorithm(int id, String className, String library, Supplier<Compressor> make) {
    this.id = id;
    this.library = library;
    this.compressor = isPresent(className) ? make.get() : null;
  }

  private static boolean isPresent(String className) {
    try {
      Class.forName(className, false, Algorithm.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Returns the algorithm with this identifier; null if there is none. */
  public static @Nullable Algorithm withId(int id) {
    return Arrays.stream(values()).filter(one -> one.id == id).findFirst().orElse(null);
  }

  public int id() {
    return id;
  }

  /** Returns the Maven coordinates of its library. */
  public String library() {
    return library;
  }

  /** Null if its library is missing. */
  public @Nullable Compressor orNull() {
    return compressor;
  }

  /**
   * Returns the algorithm at its default level.
   *
   * @throws IllegalStateException if its library is missing
   */
  public Compressor compressor() {
    Compressor present = compressor;
    if (present == null) {
      throw new IllegalStateException(
          name() + " needs " + library + " on the class path; add it as a dependency");
    }
    return present;
  }

  public void requirePresent() {
    compressor();
  }
}
