// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdException;
import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values and frames that fail: all dictionaries share the contexts in which they do. */
class ZstdDictionaryTest {

  private final ZstdDictionary first = dictionary("first:");
  private final ZstdDictionary second = dictionary("second:");
  private final byte[] value = bytes("first:12345:and what follows");

  @Test
  void valueThatCannotBeCompressed_leavesNothingBehindForOtherDictionaries() {
    for (ZstdDictionary next : List.of(second, first, second)) {
      for (int tooSmall = 0; tooSmall < 8; tooSmall++) {
        byte[] target = new byte[tooSmall];
        assertThatThrownBy(() -> first.compress(value, 0, value.length, target, 0))
            .isInstanceOf(ZstdException.class);
        assertThat(roundTrip(next, value)).isEqualTo(value);
      }
    }
  }

  @Test
  void frameThatIsCutOff_leavesNothingBehindForOtherDictionaries() {
    byte[] frame = new byte[ZstdDictionary.maxCompressedLength(value.length)];
    int length = first.compress(value, 0, value.length, frame, 0);
    for (ZstdDictionary next : List.of(second, first, second)) {
      for (int cut = 0; cut < length; cut++) {
        assertThat(isReadable(first, frame, cut)).as("the first %d of %d", cut, length).isFalse();
        assertThat(roundTrip(next, value)).isEqualTo(value);
      }
    }
  }

  /** Without a part of its checksum only, a frame is one with a wrong checksum. */
  private boolean isReadable(ZstdDictionary dictionary, byte[] frame, int length) {
    try {
      return dictionary.decompress(frame, 0, length, new byte[value.length]);
    } catch (IllegalArgumentException notAFrame) {
      return false;
    }
  }

  private static byte[] roundTrip(ZstdDictionary dictionary, byte[] value) {
    byte[] frame = new byte[ZstdDictionary.maxCompressedLength(value.length)];
    int length = dictionary.compress(value, 0, value.length, frame, 0);
    byte[] back = new byte[value.length];
    assertThat(dictionary.decompress(frame, 0, length, back)).isTrue();
    return back;
  }

  private static ZstdDictionary dictionary(String prefix) {
    return new ZstdDictionary(bytes(prefix.repeat(50) + "and what follows"), 3);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
