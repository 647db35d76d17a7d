// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.compression.ValueCompression;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EnvelopeTest {

  private static final byte[] KEY = bytes("key");
  private static final byte[] MAGIC = {(byte) 0xF5, (byte) 0xFE, (byte) 0xFF, 'S', 'H', 'F'};

  static List<Compressor> compressors() {
    return List.of(
        Compressor.snappy(),
        Compressor.lz4(),
        Compressor.zstd(),
        Compressor.zstd(-7),
        Compressor.zstd(19));
  }

  @ParameterizedTest
  @MethodSource("compressors")
  void everyAlgorithm_restoresWhatItCompressed(Compressor compressor) {
    ValueCompression compression = compression(compressor);
    for (int length : new int[] {256, 257, 1_000, 65_536, 1 << 20}) {
      byte[] value = Samples.json(length, length);
      byte[] stored = compression.compress(KEY, value);
      assertThat(stored.length).isLessThan(value.length);
      assertThat(stored[Envelope.ALGORITHM_OFFSET]).isEqualTo((byte) compressor.id());
      assertThat(compression.decompress(stored)).isEqualTo(value);
    }
  }

  @Test
  void valueWithoutGain_staysAsItIs() {
    byte[] noise = new byte[5_000];
    new Random(1).nextBytes(noise);
    assertThat(snappy().compress(KEY, noise)).isSameAs(noise);
  }

  @Test
  void valueThatBeginsLikeAnEnvelope_isEscaped_whateverItsLength() {
    ValueCompression compression = snappy();
    for (int length = 0; length < 600; length++) {
      byte[] value = Arrays.copyOf(MAGIC, length);
      byte[] stored = compression.compress(KEY, value);
      assertThat(compression.decompress(stored)).isEqualTo(value);
      if (length >= Envelope.MIN_MAGIC_PREFIX) {
        assertThat(stored).isNotEqualTo(value);
      } else {
        assertThat(stored).isSameAs(value);
      }
    }
  }

  @Test
  void envelopeAsAValue_isGivenBackAsTheEnvelope_notOpenedTwice() {
    ValueCompression compression = snappy();
    byte[] once = compression.compress(KEY, Samples.json(1_000, 1));
    byte[] twice = compression.compress(KEY, once);
    byte[] thrice = compression.compress(KEY, twice);
    assertThat(compression.decompress(thrice)).isEqualTo(twice);
    assertThat(compression.decompress(twice)).isEqualTo(once);
  }

  @Test
  void envelopeCutAnywhere_isUnreadable() {
    byte[] stored = snappy().compress(KEY, Samples.json(1_000, 1));
    for (int length = Envelope.MIN_MAGIC_PREFIX; length < stored.length; length++) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertUnreadable(() -> snappy().decompress(cut));
    }
  }

  @Test
  void oneOrTwoWrongBitsAnywhere_areNoticed() {
    byte[] stored = snappy().compress(KEY, Samples.json(200, 1).clone());
    assertThat(stored).hasSizeLessThan(200);
    int bits = stored.length * 8;
    for (int first = 0; first < bits; first++) {
      byte[] damaged = flipped(stored, first);
      assertUnreadable(() -> snappy().decompress(damaged));
      for (int second = first + 1; second < bits; second += 7) {
        byte[] more = flipped(damaged, second);
        assertUnreadable(() -> snappy().decompress(more));
      }
    }
  }

  @Test
  void reasonsAreTold() {
    byte[] stored = snappy().compress(KEY, Samples.json(1_000, 1));
    assertReason(Reason.TRUNCATED, Arrays.copyOf(stored, 12));
    assertReason(Reason.DAMAGED_MAGIC, with(stored, 4, stored[4] ^ 1));
    assertReason(Reason.UNKNOWN_VERSION, with(stored, Envelope.VERSION_OFFSET, 3));
    assertReason(Reason.UNKNOWN_ALGORITHM, with(stored, Envelope.ALGORITHM_OFFSET, 0x7F));
    assertReason(Reason.IMPOSSIBLE_LENGTH, with(stored, Envelope.LENGTH_OFFSET, 0xFF));
    assertReason(Reason.CHECKSUM, with(stored, 30, stored[30] ^ 1));
    byte[] corrupt = new byte[100];
    Envelope.writeHeader(corrupt, Compressor.snappy().id(), 500, 84);
    assertReason(Reason.CORRUPT, corrupt);
  }

  @Test
  void declaredLengthOf4GiB_isRefusedBeforeItIsAllocated() {
    byte[] bomb = new byte[1 << 20];
    Envelope.writeHeader(bomb, Compressor.zstd().id(), -1, bomb.length - 16);
    assertThatThrownBy(() -> snappy().decompress(bomb))
        .isInstanceOf(UnreadableValueException.class)
        .hasMessageContaining("4294967295")
        .hasMessageContaining("" + CompressionOptions.defaults().maxValueBytes())
        .hasMessageContaining("maxValueBytes");
  }

  @Test
  void bombOfRealZstd_isRefusedByTheLimit_andReadBelowIt() {
    byte[] zeros = new byte[8 << 20];
    CompressionOptions options = CompressionOptions.of(CompressionPolicy.all(Compressor.zstd()));
    byte[] stored = ValueCompression.of(options).compress(KEY, zeros);
    assertThat(stored.length).isLessThan(2_000);
    assertThat(ValueCompression.of(options).decompress(stored)).isEqualTo(zeros);
    ValueCompression careful =
        ValueCompression.of(options.toBuilder().maxValueBytes(zeros.length - 1).build());
    assertThatThrownBy(() -> careful.decompress(stored))
        .isInstanceOfSatisfying(
            UnreadableValueException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE));
  }

  @Test
  void text_isNeverTakenForAnEnvelope() {
    // Any two bits of the magic may be wrong; no such bytes are valid UTF-8.
    for (int first = 0; first < 48; first++) {
      for (int second = first; second < 48; second++) {
        byte[] near = flipped(flipped(MAGIC, first), second);
        byte[] again = new String(near, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
        assertThat(again).isNotEqualTo(near);
      }
    }
  }

  @Test
  void longNumber_staysANumber() {
    byte[] number = bytes("0.".concat("0".repeat(1_000)).concat("1"));
    assertThat(snappy().compress(KEY, number)).isSameAs(number);
  }

  @Test
  void compressorOfTheApplication_isReadByThoseWhoKnowIt() {
    Compressor own = new RunLength(0x80);
    CompressionOptions options = CompressionOptions.of(CompressionPolicy.all(own));
    byte[] value = new byte[1_000];
    byte[] stored = ValueCompression.of(options).compress(KEY, value);
    assertThat(stored.length).isLessThan(100);
    assertThat(
            ValueCompression.of(CompressionOptions.builder().policies().readers(own).build())
                .decompress(stored))
        .isEqualTo(value);
    assertReason(Reason.UNKNOWN_ALGORITHM, stored);
  }

  /** Such as one that compresses a part of the value by another algorithm. */
  @Test
  void compressorThatCompressesItself_findsItsTargetAsItLeftIt() {
    Compressor nested =
        new RunLength(0x80) {
          @Override
          public int compress(
              byte[] source, int offset, int length, byte[] target, int targetOffset) {
            int written = super.compress(source, offset, length, target, targetOffset);
            snappy().compress(KEY, Samples.json(2_000, 1));
            return written;
          }
        };
    byte[] value = new byte[1_000];
    byte[] stored = compression(nested).compress(KEY, value);
    assertThat(stored.length).isLessThan(100);
    assertThat(compression(nested).decompress(stored)).isEqualTo(value);
  }

  @Test
  void identifierOfTheFormat_isNotForApplications() {
    assertThatThrownBy(
            () ->
                ValueCompression.of(
                    CompressionOptions.builder().policies().readers(new RunLength(1)).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("128 to 255");
  }

  private static ValueCompression snappy() {
    return compression(Compressor.snappy());
  }

  private static ValueCompression compression(Compressor compressor) {
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

  private static void assertUnreadable(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(UnreadableValueException.class);
  }

  private static void assertReason(Reason reason, byte[] stored) {
    assertThatThrownBy(() -> snappy().decompress(stored))
        .isInstanceOfSatisfying(
            UnreadableValueException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private static byte[] flipped(byte[] bytes, int bit) {
    return with(bytes, bit / 8, bytes[bit / 8] ^ 1 << bit % 8);
  }

  private static byte[] with(byte[] bytes, int index, int value) {
    byte[] copy = bytes.clone();
    copy[index] = (byte) value;
    return copy;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Knows one byte, and how often it comes. */
  private static class RunLength implements Compressor {
    private final int id;

    RunLength(int id) {
      this.id = id;
    }

    @Override
    public int id() {
      return id;
    }

    @Override
    public String name() {
      return "run-length";
    }

    @Override
    public int maxCompressedLength(int length) {
      return 1;
    }

    @Override
    public long maxOriginalLength(int compressedLength) {
      return compressedLength == 1 ? Integer.MAX_VALUE : 0;
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      target[targetOffset] = source[offset];
      return 1;
    }

    @Override
    public void decompress(byte[] source, int offset, int length, byte[] target) {
      Arrays.fill(target, source[offset]);
    }
  }
}
