// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/**
 * Stored dictionaries with random damage, and with a head that was made up: each is read as it was
 * written, or refused. {@code -Dsheaf.fuzz.inputs} and {@code -Dsheaf.fuzz.seed} as in {@code
 * EnvelopeFuzzTest}.
 */
public class StoredDictionaryFuzzTest {

  private static final int INPUTS = Integer.getInteger("sheaf.fuzz.inputs", 20_000);
  private static final long SEED = Long.getLong("sheaf.fuzz.seed", 1);
  private static final int HEAD_OFFSET = 10;

  /** A dictionary of 2 KiB for orders. */
  public static TrainedDictionary trained() {
    List<byte[]> samples =
        IntStream.range(0, 500)
            .mapToObj(i -> Orders.order(i).getBytes(StandardCharsets.UTF_8))
            .toList();
    return TrainedDictionary.of(
        ZstdDictionary.train(samples, 2_048, 3), "order:", 500, Instant.ofEpochSecond(1));
  }

  /** An order, as what a dictionary of {@link #trained} is good for. */
  public static byte[] order(int number) {
    return Orders.order(number).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void damagedDictionary_isRefused() {
    byte[] stored = trained().stored();
    for (int i = 0; i < INPUTS; i++) {
      Random random = new Random(SEED + i);
      byte[] damaged = Arrays.copyOf(stored, stored.length - random.nextInt(3) * random.nextInt(9));
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      }
      if (!Arrays.equals(damaged, stored) && isRead(damaged, i)) {
        fail("Seed " + (SEED + i) + " is read in spite of its damage");
      }
    }
  }

  @Test
  void madeUpHead_isReadOrRefused() {
    byte[] stored = trained().stored();
    int content = HEAD_OFFSET + ByteBuffer.wrap(stored).getShort(HEAD_OFFSET - 2);
    int read = 0;
    for (int i = 0; i < INPUTS; i++) {
      byte[] head = head(new Random(SEED + i)).getBytes(StandardCharsets.UTF_8);
      ByteBuffer forged = ByteBuffer.allocate(HEAD_OFFSET + head.length + stored.length - content);
      forged.put(stored, 0, HEAD_OFFSET - 2).putShort((short) head.length).put(head);
      forged.put(stored, content, stored.length - content);
      CRC32C checksum = new CRC32C();
      checksum.update(forged.array(), 8, forged.capacity() - 8);
      forged.putInt(4, (int) checksum.getValue());
      read += isRead(forged.array(), i) ? 1 : 0;
    }
    // Else it would fuzz the checksum alone.
    assertThat(read).isPositive();
  }

  private static String head(Random random) {
    StringBuilder head = new StringBuilder();
    for (int part = random.nextInt(5); part >= 0; part--) {
      switch (random.nextInt(4)) {
        case 0 -> head.append(random.nextLong());
        case 1 -> head.append(random.nextInt(1_000));
        case 2 -> head.append("order:\u00e4");
        default -> head.append((char) random.nextInt(0x2000));
      }
      head.append(' ');
    }
    return head.toString();
  }

  private static boolean isRead(byte[] stored, int input) {
    try {
      return TrainedDictionary.parse(stored).bytes() > 0;
    } catch (IllegalArgumentException refused) {
      return false;
    } catch (RuntimeException e) {
      return fail("Seed " + (SEED + input) + " ends with " + e, e);
    }
  }
}
