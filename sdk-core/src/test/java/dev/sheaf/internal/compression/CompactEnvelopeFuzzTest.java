// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import dev.sheaf.internal.compression.dictionary.KnownDictionaries;
import dev.sheaf.internal.compression.dictionary.StoredDictionaryFuzzTest;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Frames that need a dictionary, with random damage behind their magic and version: each is read as
 * it was written, or unreadable. {@code -Dsheaf.fuzz.inputs} and {@code -Dsheaf.fuzz.seed} as in
 * {@link EnvelopeFuzzTest}.
 */
class CompactEnvelopeFuzzTest {

  private static final int INPUTS = Integer.getInteger("sheaf.fuzz.inputs", 100_000);
  private static final long SEED = Long.getLong("sheaf.fuzz.seed", 1);
  private static final int MAX_VALUE_BYTES = 1 << 20;

  @Test
  void damagedFrame_isUnreadable_orTheSameValue_neverAnother() {
    TrainedDictionary dictionary = StoredDictionaryFuzzTest.trained();
    KnownDictionaries known = new KnownDictionaries(id -> CompletableFuture.completedFuture(null));
    known.add(dictionary);
    Codecs codecs = Codecs.usual(known);
    int same = 0;
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      byte[] value = StoredDictionaryFuzzTest.order(random.nextInt(50));
      byte[] damaged = damaged(frame(dictionary, value), random);
      try {
        byte[] read = Envelope.open(damaged, damaged.length, codecs, MAX_VALUE_BYTES);
        if (!Arrays.equals(read, value)) {
          fail("Seed " + (SEED + i) + " gives another value");
        }
        same++;
      } catch (UnreadableValueException unreadable) {
        assertThat(unreadable.reason()).isNotNull();
      } catch (RuntimeException e) {
        fail("Seed " + (SEED + i) + " ends with " + e, e);
      }
    }
    // Some are left as they were.
    assertThat(same).isPositive();
  }

  private static byte[] frame(TrainedDictionary dictionary, byte[] value) {
    byte[] target =
        new byte[CompactEnvelope.HEADER_BYTES + ZstdDictionary.maxCompressedLength(value.length)];
    int length =
        dictionary.use().compress(value, 0, value.length, target, CompactEnvelope.HEADER_BYTES);
    CompactEnvelope.writeHeader(target);
    return Arrays.copyOf(target, CompactEnvelope.HEADER_BYTES + length);
  }

  private static byte[] damaged(byte[] frame, Random random) {
    int length =
        random.nextInt(3) == 0
            ? CompactEnvelope.HEADER_BYTES + random.nextInt(frame.length)
            : frame.length;
    byte[] damaged = Arrays.copyOf(frame, length);
    for (int flips = random.nextInt(4);
        flips > 0 && length > CompactEnvelope.HEADER_BYTES;
        flips--) {
      int at = CompactEnvelope.HEADER_BYTES + random.nextInt(length - CompactEnvelope.HEADER_BYTES);
      damaged[at] ^= (byte) (1 << random.nextInt(8));
    }
    return damaged;
  }
}
