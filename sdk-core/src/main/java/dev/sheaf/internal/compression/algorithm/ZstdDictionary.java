// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.algorithm;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A Zstandard dictionary, digested for both directions. Its frames have no magic, but the
 * dictionary's identifier, the content size and the checksum. Thread-safe.
 *
 * <p>The native memory of a dictionary is freed when the object is garbage collected. All
 * dictionaries share the contexts, as many as threads work at the same time.
 */
public final class ZstdDictionary {

  /** The smallest dictionary that the library trains: 256 bytes. */
  public static final int MIN_BYTES = 256;

  /** The parts of a frame that the library's bound omits. */
  private static final int FRAME_BYTES = 32;

  private static final int SLOTS =
      Integer.highestOneBit(Math.min(64, 4 * Runtime.getRuntime().availableProcessors()));

  private static final AtomicReferenceArray<@Nullable Compressing> COMPRESSING =
      new AtomicReferenceArray<>(SLOTS);
  private static final AtomicReferenceArray<@Nullable Decompressing> DECOMPRESSING =
      new AtomicReferenceArray<>(SLOTS);

  private final byte[] content;
  private final int level;
  private final ZstdDictDecompress decompressing;
  private volatile @Nullable ZstdDictCompress compressing;

  /** Digests a dictionary in the library's format. */
  public ZstdDictionary(byte[] content, int level) {
    this.content = content;
    this.level = level;
    this.decompressing = new ZstdDictDecompress(content);
  }

  /** A context with the dictionary of its last use. */
  private static final class Compressing {
    final ZstdCompressCtx context =
        new ZstdCompressCtx().setMagicless(true).setChecksum(true).setContentSize(true);
    @Nullable ZstdDictionary loaded;
  }

  /** A context with the dictionary of its last use. */
  private static final class Decompressing {
    final ZstdDecompressCtx context = new ZstdDecompressCtx().setMagicless(true);
    @Nullable ZstdDictionary loaded;
  }

  /**
   * Trains a dictionary on samples.
   *
   * @param bytes its maximum size
   * @throws IllegalArgumentException if the samples are unsuitable
   */
  public static byte[] train(List<byte[]> samples, int bytes, int level) {
    int total = samples.stream().mapToInt(sample -> sample.length).sum();
    ZstdDictTrainer trainer = new ZstdDictTrainer(Math.max(total, 1), bytes, level);
    samples.forEach(trainer::addSample);
    try {
      return trainer.trainSamples();
    } catch (ZstdException e) {
      throw new IllegalArgumentException("no dictionary: " + e.getMessage(), e);
    }
  }

  /** Returns the most bytes that a frame of a value of this length can have. */
  public static int maxCompressedLength(int length) {
    return (int) Math.min(Integer.MAX_VALUE, Zstd.compressBound(length) + FRAME_BYTES);
  }

  private static int slot() {
    return (int) Thread.currentThread().getId() & SLOTS - 1;
  }

  /** Writes the frame of a value. Returns its length. */
  public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
    Compressing kept = COMPRESSING.getAndSet(slot(), null);
    Compressing used = kept == null ? new Compressing() : kept;
    // After a failure, the library lets a context take no other dictionary.
    Compressing unwanted = used;
    try {
      if (used.loaded != this) {
        used.context.loadDict(forCompressing());
        used.loaded = this;
      }
      int written =
          used.context.compressByteArray(
              target, targetOffset, target.length - targetOffset, source, offset, length);
      unwanted = COMPRESSING.getAndSet(slot(), used);
      return written;
    } finally {
      if (unwanted != null) {
        unwanted.context.close();
      }
    }
  }

  private ZstdDictCompress forCompressing() {
    ZstdDictCompress digested = compressing;
    if (digested == null) {
      synchronized (content) {
        digested = compressing;
        if (digested == null) {
          digested = new ZstdDictCompress(content, level);
          compressing = digested;
        }
      }
    }
    return digested;
  }

  /**
   * Decompresses a value.
   *
   * @param target filled completely
   * @return whether the content matches the frame's checksum; if not, the target's content is
   *     undefined
   * @throws IllegalArgumentException if the frame is not that of a value of this length
   */
  public boolean decompress(byte[] source, int offset, int length, byte[] target) {
    Decompressing kept = DECOMPRESSING.getAndSet(slot(), null);
    Decompressing used = kept == null ? new Decompressing() : kept;
    try {
      if (used.loaded != this) {
        used.context.loadDict(decompressing);
        used.loaded = this;
      }
      int written =
          used.context.decompressByteArray(target, 0, target.length, source, offset, length);
      if (written != target.length) {
        throw new IllegalArgumentException(
            "the frame stands for " + written + " bytes, not " + target.length);
      }
      return true;
    } catch (ZstdException e) {
      if (e.getErrorCode() == Zstd.errChecksumWrong()) {
        return false;
      }
      throw new IllegalArgumentException(e.getMessage(), e);
    } finally {
      Decompressing displaced = DECOMPRESSING.getAndSet(slot(), used);
      if (displaced != null) {
        displaced.context.close();
      }
    }
  }
}
