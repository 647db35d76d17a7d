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
 * A dictionary with what is known of it. Its identifier is a digest of its content, so that one
 * identifier never means two dictionaries.
 *
 * <p>Immutable but for whether it was used. The wire format page has the form it is stored in.
 */
public final class TrainedDictionary {

  private static final byte[] MAGIC = {'S', 'H', 'F', 'D'};
  private static final int CHECKSUM_OFFSET = 4;
  private static final int HEAD_OFFSET = 10;
  private static final int ZSTD_MAGIC = 0xEC30A437;
  private static final int ID_OFFSET = 4;
  private static final int CONTENT_OFFSET = 8;

  /** From here on an identifier takes four bytes of a frame. Those above are not free. */
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
   * Takes what the library has trained, and gives it its identifier.
   *
   * @param prefix of the keys whose values it is for
   * @param samples how many values it was trained on
   */
  static TrainedDictionary of(byte[] trained, String prefix, int samples, Instant trainedAt) {
    byte[] content = trained.clone();
    littleEndian(content).putInt(ID_OFFSET, idOf(content));
    return new TrainedDictionary(content, prefix, samples, 1, trainedAt);
  }

  /** The same, with what it made of the values that it was judged by. */
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

  /** As it stands in Redis, in a file, and among the resources of an application. */
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
   * Reads what {@link #stored} has made.
   *
   * @throws IllegalArgumentException if it is something else, or is damaged
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

  /** What frames say that were made with it. */
  public int id() {
    return id;
  }

  /** The identifier as people see it: eight hexadecimal digits. */
  public String name() {
    return name(id);
  }

  /** How people see an identifier. */
  public static String name(int id) {
    return String.format("%08x", id);
  }

  /** Whether this is how {@link #name} writes an identifier. */
  static boolean isName(String text) {
    return text.matches("[0-9a-f]{8}");
  }

  public String prefix() {
    return prefix;
  }

  public int samples() {
    return samples;
  }

  /** How much was stored of the values that it was judged by, such as 0.2. */
  public double ratio() {
    return ratio;
  }

  public Instant trainedAt() {
    return trainedAt;
  }

  public int bytes() {
    return content.length;
  }

  /** The dictionary, ready for use; it counts as used from then on. */
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

  /** Whether it was used since this was asked last. */
  boolean wasUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  /** What an admin page says of it. */
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
