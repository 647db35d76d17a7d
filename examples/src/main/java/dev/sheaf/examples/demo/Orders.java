// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Generated orders of a shop as JSON, the same in every run. */
public final class Orders {

  private static final String[] THINGS = {
    "kettle", "lamp", "notebook", "rain jacket", "desk chair"
  };
  private static final String[] STYLES = {"steel", "blue", "oak", "folding", "small", "recycled"};

  private Orders() {}

  /** Returns documents under keys with this prefix. */
  public static Map<String, String> generate(String prefix, int count) {
    Random random = new Random(42);
    Map<String, String> documents = new LinkedHashMap<>();
    for (int id = 100_000; id < 100_000 + count; id++) {
      // Log-normal, like the sizes of many real documents: 9 of 10 have 512 B to 9 KiB.
      double size = 2_048 * Math.exp(0.9 * random.nextGaussian());
      int least = (int) Math.min(100 * 1_024, Math.max(512, size));
      StringBuilder json = new StringBuilder("{\"order\":" + id + ",\"customer\":");
      json.append(random.nextInt(1_000_000) + ",\"status\":\"shipped\",\"lines\":[");
      for (int line = 1; line == 1 || json.length() < least; line++) {
        json.append(line == 1 ? "" : ",")
            .append("{\"line\":" + line + ",\"sku\":\"" + Long.toHexString(random.nextLong()))
            .append(
                "\",\"product\":\"" + STYLES[random.nextInt(6)] + " " + THINGS[random.nextInt(5)])
            .append("\",\"quantity\":" + (1 + random.nextInt(4)) + ",\"unitPrice\":")
            .append((199 + random.nextInt(20_000)) / 100.0 + ",\"tax\":0.19,\"returned\":false}");
      }
      // Multiples of an odd number: all different, and without visible order.
      String key = prefix + "order:" + Integer.toHexString(id * 0x9E3779B1) + ":eu";
      documents.put(key, json.append("]}").toString());
    }
    return documents;
  }
}
