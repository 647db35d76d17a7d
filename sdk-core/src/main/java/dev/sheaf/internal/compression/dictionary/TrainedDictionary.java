// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A dictionary with its metadata. Its identifier is a digest of its content, so that one identifier
 * never refers to two dictionaries.
 *
 * <p>Immutable, except for whether it was used. The wire format page describes its stored form.
 */
public final class TrainedDictionary {

  private static final byte[] MAGIC = {'S', 'H', 'F', 'D'};
  private static final int CHECKSUM_OFFSET = 4;
  private static final int HEAD_OFFSET = 10;
  private static final int ZSTD_MAGIC = 0xEC30A437;
  private static final int ID_OFFSET = 4;
  private static final int CONTENT_OFFSET = 8;

  /** The first identifier that takes four bytes in a frame. Higher ones are reserved. */
  private static final long FIRST_ID = 1 << 16;

  private static final int LEVEL = 3;
  private static final int PER_MILLE = 1_000;

  private final int id;
  private final byte[] content;
  private final String prefix;
  private final int samples;
  private final double ratio;
  private final Instant trainedAt;
  private volatile boolean used;
  private volatile @Nullable ZstdDictionary digested;

  private TrainedDictionary(
      byte[] content, String prefix, int samples, double ratio, Instant trainedAt) {
    this.content = content;
    this.id = littleEndian(content).getInt(ID_OFFSET);
    this.prefix = prefix;
    this.samples = samples;
    this.ratio = ratio;
    this.trainedAt = trainedAt;
  }

  /**
   * Creates a dictionary from the library's training, with an identifier.
   *
   * @param prefix the prefix of its keys
   * @param samples the number of values it was trained on
   */
  static TrainedDictionary of(byte[] trained, String prefix, int samples, Instant trainedAt) {
    byte[] content = trained.clone();
    littleEndian(content).putInt(ID_OFFSET, idOf(content));
    return new TrainedDictionary(content, prefix, samples, 1, trainedAt);
  }

  /** As above, with its ratio on the values of the trial. */
  TrainedDictionary judged(double ratioThen) {
    return new TrainedDictionary(content, prefix, samples, ratioThen, trainedAt);
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static int idOf(byte[] content) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(content, CONTENT_OFFSET, content.length - CONTENT_OFFSET);
      long first = ByteBuffer.wrap(digest.digest()).getLong();
      return (int) (FIRST_ID + Long.remainderUnsigned(first, (1L << 31) - FIRST_ID));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the form in which it is stored in Redis, in files and in class path resources. */
  public byte[] stored() {
    byte[] head =
        (samples
                + " "
                + trainedAt.getEpochSecond()
                + " "
                + Math.round(ratio * PER_MILLE)
                + " "
                + prefix)
            .getBytes(StandardCharsets.UTF_8);
    ByteBuffer stored = ByteBuffer.allocate(HEAD_OFFSET + head.length + content.length);
    stored.put(MAGIC).putInt(0).putShort((short) head.length).put(head).put(content);
    stored.putInt(CHECKSUM_OFFSET, checksum(stored.array()));
    return stored.array();
  }

  private static int checksum(byte[] stored) {
    CRC32C checksum = new CRC32C();
    checksum.update(
        stored, CHECKSUM_OFFSET + Integer.BYTES, stored.length - CHECKSUM_OFFSET - Integer.BYTES);
    return (int) checksum.getValue();
  }

  /**
   * Parses the form that {@link #stored} returns.
   *
   * @throws IllegalArgumentException if it is malformed or damaged
   */
  public static TrainedDictionary parse(byte[] stored) {
    if (stored.length < HEAD_OFFSET
        || !Arrays.equals(stored, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IllegalArgumentException("These bytes are not a dictionary of Sheaf");
    }
    ByteBuffer buffer = ByteBuffer.wrap(stored);
    int contentOffset = HEAD_OFFSET + (buffer.getShort(HEAD_OFFSET - Short.BYTES) & 0xFFFF);
    if (buffer.getInt(CHECKSUM_OFFSET) != checksum(stored)
        || stored.length < contentOffset + ZstdDictionary.MIN_BYTES) {
      throw new IllegalArgumentException("The dictionary is damaged: its checksum is wrong");
    }
    byte[] content = Arrays.copyOfRange(stored, contentOffset, stored.length);
    String[] head =
        new String(stored, HEAD_OFFSET, contentOffset - HEAD_OFFSET, StandardCharsets.UTF_8)
            .split(" ", 4);
    ByteBuffer zstd = littleEndian(content);
    if (head.length < 4
        || zstd.getInt(0) != ZSTD_MAGIC
        || zstd.getInt(ID_OFFSET) != idOf(content)) {
      throw new IllegalArgumentException("The dictionary has not the identifier of its content");
    }
    try {
      return new TrainedDictionary(
          content,
          head[3],
          Integer.parseInt(head[0]),
          Double.parseDouble(head[2]) / PER_MILLE,
          Instant.ofEpochSecond(Long.parseLong(head[1])));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("The dictionary was trained at no time that there is", e);
    }
  }

  /** Returns the identifier in frames. */
  public int id() {
    return id;
  }

  /** Returns the identifier for display: eight hexadecimal digits. */
  public String name() {
    return name(id);
  }

  /** Formats an identifier for display. */
  public static String name(int id) {
    return String.format("%08x", id);
  }

  /** Returns whether a text is a valid identifier for display. */
  static boolean isName(String text) {
    return text.matches("[0-9a-f]{8}");
  }

  public String prefix() {
    return prefix;
  }

  public int samples() {
    return samples;
  }

  /** Returns stored size by original size of the values of the trial, such as 0.2. */
  public double ratio() {
    return ratio;
  }

  public Instant trainedAt() {
    return trainedAt;
  }

  public int bytes() {
    return content.length;
  }

  /** Returns the dictionary, ready for use; it counts as used from then on. */
  public ZstdDictionary use() {
    if (!used) {
      used = true;
    }
    ZstdDictionary ready = digested;
    if (ready == null) {
      ready = new ZstdDictionary(content, LEVEL);
      digested = ready;
    }
    return ready;
  }

  /** Returns whether it was used since the last call. */
  boolean wasUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  /** Describes it for an admin page. */
  public String description() {
    return String.format(
        Locale.ROOT,
        "dictionary %s (%s), %d KB, trained on %,d samples",
        name(),
        prefix.isEmpty() ? "all keys" : prefix,
        Math.round(content.length / 1_024.0),
        samples);
  }
}
