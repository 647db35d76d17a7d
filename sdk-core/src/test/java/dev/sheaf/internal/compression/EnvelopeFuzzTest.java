// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.ValueCompression;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random values, and random damage. {@code -Dsheaf.fuzz.inputs=5000000} sets how many inputs each
 * test takes, {@code -Dsheaf.fuzz.seed} with which one it begins.
 */
class EnvelopeFuzzTest {

  private static final int INPUTS = Integer.getInteger("sheaf.fuzz.inputs", 100_000);
  private static final long SEED = Long.getLong("sheaf.fuzz.seed", 1);
  private static final int MAX_BYTES = 3_000;

  /** An attacker's value may ask for so much, and no more. */
  private static final int MAX_VALUE_BYTES = 1 << 20;

  private static final byte[] KEY = {'k'};
  private static final List<Compressor> COMPRESSORS =
      List.of(Compressor.snappy(), Compressor.lz4(), Compressor.zstd(1));

  private final ValueCompression reader =
      ValueCompression.of(
          CompressionOptions.builder()
              .policies()
              .maxValueBytes(MAX_VALUE_BYTES)
              .maxReplyBytes(MAX_VALUE_BYTES)
              .build());

  @Test
  void everyByteString_comesBackAsItWas() {
    List<ValueCompression> writers = COMPRESSORS.stream().map(EnvelopeFuzzTest::writer).toList();
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      byte[] value = value(random);
      byte[] stored = writers.get(i % writers.size()).compress(KEY, value);
      if (!Arrays.equals(reader.decompress(stored), value)) {
        fail("Seed " + (SEED + i) + " does not come back: " + HexFormat.of().formatHex(value));
      }
    }
  }

  @Test
  void damagedEnvelope_isUnreadable_orTheSameValue_neverAnother() {
    List<ValueCompression> writers = COMPRESSORS.stream().map(EnvelopeFuzzTest::writer).toList();
    int unreadable = 0;
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      byte[] value = Samples.json(300 + random.nextInt(500), SEED + i % 50);
      byte[] stored = writers.get(i % writers.size()).compress(KEY, value);
      byte[] damaged = damaged(stored, random);
      try {
        byte[] read = reader.decompress(damaged);
        boolean same = Arrays.equals(read, value);
        // Three wrong bits in the magic, and it is no envelope any more.
        boolean raw = read == damaged && !Envelope.looksLikeOne(damaged, 0, damaged.length);
        if (!same && !raw) {
          fail("Seed " + (SEED + i) + " gives another value: " + HexFormat.of().formatHex(damaged));
        }
      } catch (UnreadableValueException e) {
        unreadable++;
      }
    }
    assertThat(unreadable).isGreaterThan(INPUTS / 2);
  }

  @Test
  void forgedEnvelope_isReadOrUnreadable_withinTheLimit() {
    int read = 0;
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      byte[] forged = forged(random, COMPRESSORS.get(i % COMPRESSORS.size()));
      try {
        if (reader.decompress(forged).length > MAX_VALUE_BYTES) {
          fail("Seed " + (SEED + i) + " is larger than allowed");
        }
        read++;
      } catch (UnreadableValueException expected) {
        assertThat(expected.reason()).isNotNull();
      }
    }
    // Else it would fuzz the checks of the header alone.
    assertThat(read).isPositive();
  }

  private static ValueCompression writer(Compressor compressor) {
    return ValueCompression.of(
        CompressionOptions.builder()
            .policies(
                CompressionPolicy.builder()
                    .compressor(compressor)
                    .minBytes(CompressionPolicy.LEAST_MIN_BYTES)
                    .minGain(0)
                    .build())
            .build());
  }

  private static byte[] value(Random random) {
    byte[] value = new byte[random.nextInt(random.nextInt(10) == 0 ? MAX_BYTES : 300)];
    switch (random.nextInt(4)) {
      case 0 -> random.nextBytes(value);
      case 1 -> repeat(value, random);
      case 2 -> System.arraycopy(Samples.magic(8), 0, value, 0, Math.min(8, value.length));
      default -> {
        repeat(value, random);
        System.arraycopy(Samples.magic(8), 0, value, 0, Math.min(8, value.length));
        flip(value, random, 8);
      }
    }
    return value;
  }

  private static void repeat(byte[] value, Random random) {
    int period = 1 + random.nextInt(40);
    for (int i = 0; i < value.length; i++) {
      value[i] = i < period ? (byte) random.nextInt() : value[i - period];
    }
  }

  private static void flip(byte[] bytes, Random random, int within) {
    int flips = random.nextInt(4);
    for (int i = 0; i < flips && bytes.length > 0; i++) {
      bytes[random.nextInt(Math.min(within, bytes.length))] ^= (byte) (1 << random.nextInt(8));
    }
  }

  private static byte[] damaged(byte[] stored, Random random) {
    byte[] damaged =
        switch (random.nextInt(4)) {
          case 0 ->
              Arrays.copyOf(
                  stored,
                  Envelope.MIN_MAGIC_PREFIX
                      + random.nextInt(stored.length - Envelope.MIN_MAGIC_PREFIX));
          case 1 -> Arrays.copyOf(stored, stored.length + 1 + random.nextInt(20));
          default -> stored.clone();
        };
    if (damaged.length == stored.length) {
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      flip(damaged, random, damaged.length);
    }
    return damaged;
  }

  /** An envelope with a right checksum over a payload that is random, or nearly right. */
  private static byte[] forged(Random random, Compressor compressor) {
    byte[] original = Samples.json(random.nextInt(400), random.nextInt(20));
    byte[] target =
        new byte[Envelope.HEADER_BYTES + compressor.maxCompressedLength(original.length)];
    int payload = compressor.compress(original, 0, original.length, target, Envelope.HEADER_BYTES);
    byte[] forged = Arrays.copyOf(target, Envelope.HEADER_BYTES + payload);
    if (random.nextInt(4) == 0) {
      byte[] noise = new byte[payload];
      random.nextBytes(noise);
      System.arraycopy(noise, 0, forged, Envelope.HEADER_BYTES, payload);
    } else if (random.nextInt(8) != 0) {
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        forged[Envelope.HEADER_BYTES + random.nextInt(payload)] ^= (byte) (1 << random.nextInt(8));
      }
    }
    int length =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt();
          case 1 -> random.nextInt(MAX_VALUE_BYTES * 2);
          default -> original.length;
        };
    Envelope.writeHeader(forged, compressor.id(), length, payload);
    return forged;
  }
}
