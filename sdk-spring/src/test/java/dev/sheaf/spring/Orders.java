// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import java.util.Random;

/** Small JSON documents that have much in common, as those in caches do. */
public final class Orders {

  private static final String[] CITIES = {"Busan", "Seoul", "Lisbon", "Berlin", "Osaka", "Quito"};
  private static final String[] STATES = {"PAID", "SHIPPED", "DELIVERED", "CANCELLED"};

  private Orders() {}

  /** The document with a number; the same each time. */
  public static String order(int number) {
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
}
