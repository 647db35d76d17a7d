package dev.sheaf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Orders of a shop that does not exist, as JSON: the same in every run. */
final class Orders {

  /** Half of the documents are larger, in bytes. */
  private static final double MEDIAN_BYTES = 2_048;

  /** Sizes are log-normal, as those of many real documents: 9 of 10 have 470 B to 9 KiB. */
  private static final double SPREAD = 0.9;

  private static final int MIN_BYTES = 512;
  private static final int MAX_BYTES = 100 * 1_024;

  private static final String[] NAMES = {
    "Amara", "Bo", "Chiara", "Dmitri", "Elif", "Farid", "Grace", "Haruto", "Irma", "Jun", "Kofi"
  };
  private static final String[] CITIES = {
    "Accra", "Bergen", "Busan", "Cusco", "Graz", "Hanoi", "Izmir", "Leeds", "Nantes", "Seoul"
  };
  private static final String[] KINDS = {
    "kettle", "lamp", "notebook", "bicycle bell", "rain jacket", "desk chair", "tea pot", "rucksack"
  };
  private static final String[] STYLES = {
    "steel", "blue", "oak", "folding", "small", "large", "recycled", "enamelled", "grey", "cotton"
  };

  private final Random random = new Random(42);

  private Orders() {}

  /** Documents by their keys. */
  static Map<String, String> generate(int count) {
    Orders orders = new Orders();
    Map<String, String> documents = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String key = "order:" + Long.toHexString(orders.random.nextLong()) + ":eu";
      documents.put(key, orders.order(100_000 + i));
    }
    return documents;
  }

  private String order(int id) {
    double size = MEDIAN_BYTES * Math.exp(SPREAD * random.nextGaussian());
    int least = (int) Math.min(MAX_BYTES, Math.max(MIN_BYTES, size));
    String name = oneOf(NAMES);
    StringBuilder json = new StringBuilder();
    json.append("{\"order\":" + id + ",\"placed\":\"2026-0" + (1 + random.nextInt(9)) + "-1")
        .append(random.nextInt(10) + "T1" + random.nextInt(10) + ":4" + random.nextInt(10))
        .append(":00Z\",\"status\":\"shipped\",\"customer\":{\"id\":" + random.nextInt(1_000_000))
        .append(",\"name\":\"" + name + "\",\"email\":\"" + name + id + "@example.org\",")
        .append("\"city\":\"" + oneOf(CITIES) + "\"},\"currency\":\"EUR\",\"lines\":[");
    for (int line = 1; line == 1 || json.length() < least; line++) {
      json.append(line == 1 ? "" : ",")
          .append("{\"line\":" + line + ",\"sku\":\"" + Long.toHexString(random.nextLong()))
          .append("\",\"product\":\"" + oneOf(STYLES) + " " + oneOf(STYLES) + " " + oneOf(KINDS))
          .append("\",\"quantity\":" + (1 + random.nextInt(4)) + ",\"unitPrice\":")
          .append((199 + random.nextInt(20_000)) / 100.0 + ",\"tax\":0.19,\"returned\":false}");
    }
    return json.append("]}").toString();
  }

  private String oneOf(String[] words) {
    return words[random.nextInt(words.length)];
  }
}
