// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Values that resemble those of applications. */
public final class Samples {

  private Samples() {}

  /** A document of exactly that size. */
  public static byte[] json(int bytes, long seed) {
    return text(bytes, seed).getBytes(StandardCharsets.US_ASCII);
  }

  /** A document of exactly that many characters, all of them ASCII. */
  public static String text(int length, long seed) {
    Random random = new Random(seed);
    StringBuilder json = new StringBuilder("{\"items\":[");
    while (json.length() < length) {
      json.append("{\"id\":")
          .append(random.nextInt(1_000_000))
          .append(",\"name\":\"item-")
          .append(random.nextInt(1_000))
          .append("\",\"available\":")
          .append(random.nextBoolean())
          .append("},");
    }
    return json.substring(0, length);
  }

  public static byte[] noise(int bytes, long seed) {
    byte[] noise = new byte[bytes];
    new Random(seed).nextBytes(noise);
    return noise;
  }

  public static byte[] magic(int bytes) {
    return Arrays.copyOf(
        new byte[] {(byte) 0xF5, (byte) 0xFE, (byte) 0xFF, 'S', 'H', 'F', 1, 1}, bytes);
  }
}
