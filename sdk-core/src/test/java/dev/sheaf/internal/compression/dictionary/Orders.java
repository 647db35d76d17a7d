// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Deflater;

/** Small JSON documents that have much in common, as those in caches do. */
final class Orders {

  private static final String[] CITIES = {"Busan", "Seoul", "Lisbon", "Berlin", "Osaka", "Quito"};
  private static final String[] STATES = {"PAID", "SHIPPED", "DELIVERED", "CANCELLED"};

  private Orders() {}

  static String order(int number) {
    Random random = new Random(number);
    StringBuilder json = new StringBuilder();
    json.append("{\"orderId\":\"ORD-")
        .append(100_000 + number)
        .append("\",\"customer\":{\"id\":")
        .append(random.nextInt(50_000))
        .append(",\"email\":\"user")
        .append(random.nextInt(50_000))
        .append("@example.com\",\"city\":\"")
        .append(CITIES[random.nextInt(CITIES.length)])
        .append("\",\"loyaltyProgramMember\":")
        .append(random.nextBoolean())
        .append("},\"status\":\"")
        .append(STATES[random.nextInt(STATES.length)])
        .append("\",\"items\":[");
    for (int i = 0; i <= random.nextInt(4); i++) {
      json.append(i == 0 ? "" : ",")
          .append("{\"sku\":\"SKU-")
          .append(random.nextInt(3_000))
          .append("\",\"quantity\":")
          .append(1 + random.nextInt(4))
          .append(",\"unitPrice\":{\"amount\":")
          .append(random.nextInt(20_000))
          .append(",\"currency\":\"EUR\"},\"warehouse\":\"central-")
          .append(random.nextInt(9))
          .append("\",\"returnable\":true}");
    }
    return json.append("],\"shipping\":{\"carrier\":\"parcel-express\",\"trackingNumber\":\"")
        .append(Long.toHexString(random.nextLong()))
        .append("\",\"estimatedDeliveryDays\":")
        .append(random.nextInt(7))
        .append("}}")
        .toString();
  }

  /** Bytes that nothing compresses. */
  static byte[] noise(int number) {
    byte[] noise = new byte[600];
    new Random(number).nextBytes(noise);
    return noise;
  }

  /** Three orders, compressed by the application. */
  static byte[] deflated(int number) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
    String text = order(number) + order(number + 1) + order(number + 2);
    deflater.setInput(text.getBytes(StandardCharsets.UTF_8));
    deflater.finish();
    byte[] bytes = new byte[2 * text.length()];
    int length = deflater.deflate(bytes);
    deflater.end();
    return Arrays.copyOf(bytes, length);
  }

  /** An order as a stream cipher leaves it: each with a key stream of its own. */
  static byte[] encrypted(int number) {
    byte[] bytes = order(number).getBytes(StandardCharsets.UTF_8);
    byte[] stream = new byte[bytes.length];
    new Random(-1 - number).nextBytes(stream);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= stream[i];
    }
    return bytes;
  }
}
