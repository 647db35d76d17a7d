package dev.sheaf.benchmarks.jmh;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** Sets of small values, three of which have much in common and three of which have nothing. */
enum SmallValues {
  /** Pieces of the POM files of a Maven repository, each in a JSON record. */
  POM_RECORDS("POM files cut to records") {
    @Override
    List<byte[]> values(int count) {
      return pomRecords(count);
    }
  },
  /** Orders, in which few customers, articles and cities have most. */
  ORDERS("orders, generated with skew") {
    @Override
    List<byte[]> values(int count) {
      Random random = new Random(1);
      return many(count, i -> order(random, i).getBytes(StandardCharsets.UTF_8));
    }
  },
  /** Log lines as services write them to be searched. */
  LOGS("log lines as JSON") {
    @Override
    List<byte[]> values(int count) {
      Random random = new Random(2);
      return many(count, i -> log(random, i).getBytes(StandardCharsets.UTF_8));
    }
  },
  RANDOM("random bytes") {
    @Override
    List<byte[]> values(int count) {
      Random random = new Random(3);
      return many(
          count,
          i -> {
            byte[] noise = new byte[size(random)];
            random.nextBytes(noise);
            return noise;
          });
    }
  },
  GZIPPED("orders, compressed by the application") {
    @Override
    List<byte[]> values(int count) {
      Random random = new Random(4);
      return many(count, i -> gzip(order(random, i) + order(random, i + 1) + order(random, i + 2)));
    }
  },
  ENCRYPTED("orders, encrypted by the application") {
    @Override
    List<byte[]> values(int count) {
      Random random = new Random(5);
      return many(count, i -> encrypt(order(random, i), random));
    }
  };

  private static final int MIN_BYTES = 300;
  private static final int MAX_BYTES = 1_500;

  private final String title;

  SmallValues(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /** The same ones in each run. */
  abstract List<byte[]> values(int count);

  private interface Making {
    byte[] of(int number);
  }

  private static List<byte[]> many(int count, Making making) {
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(making.of(i));
    }
    return values;
  }

  private static int size(Random random) {
    return MIN_BYTES + random.nextInt(MAX_BYTES - MIN_BYTES);
  }

  /** Small numbers are frequent, large ones rare. */
  private static int skewed(Random random, int bound) {
    return (int) (bound * Math.pow(random.nextDouble(), 3));
  }

  private static <T> T one(Random random, List<T> of) {
    return of.get(skewed(random, of.size()));
  }

  private static List<byte[]> pomRecords(int count) {
    String folder = System.getProperty("sheaf.poms", System.getProperty("user.home") + "/.m2");
    List<byte[]> records = new ArrayList<>();
    Random random = new Random(6);
    try (Stream<Path> files = Files.walk(Path.of(folder))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".pom")).sorted().toList()) {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        int start = 0;
        while (start + MAX_BYTES < text.length()) {
          int end = start + size(random) - 60;
          records.add(
              ("{\"file\":\""
                      + file.getFileName()
                      + "\",\"text\":\""
                      + text.substring(start, end)
                          .replace("\\", "\\\\")
                          .replace("\"", "\\\"")
                          .replace("\n", "\\n")
                      + "\"}")
                  .getBytes(StandardCharsets.UTF_8));
          start = end;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (records.size() < count) {
      throw new IllegalStateException(
          "There are POM files for " + records.size() + " records below " + folder + " only");
    }
    java.util.Collections.shuffle(records, random);
    return records.subList(0, count);
  }

  private static final List<String> CITIES =
      List.of("Seoul", "Busan", "Incheon", "Daegu", "Daejeon", "Gwangju", "Suwon", "Ulsan", "Jeju");
  private static final List<String> NAMES =
      List.of("Kim", "Lee", "Park", "Choi", "Jung", "Kang", "Cho", "Yoon", "Jang", "Lim", "Han");
  private static final List<String> STATES = List.of("PAID", "SHIPPED", "DELIVERED", "RETURNED");

  private static String order(Random random, int number) {
    StringBuilder json = new StringBuilder();
    json.append("{\"id\":")
        .append(7_300_000 + number)
        .append(",\"createdAt\":\"2026-0")
        .append(1 + random.nextInt(9))
        .append('-')
        .append(10 + random.nextInt(18))
        .append('T')
        .append(10 + random.nextInt(14))
        .append(':')
        .append(10 + random.nextInt(50))
        .append(":12.")
        .append(100 + random.nextInt(900))
        .append("Z\",\"status\":\"")
        .append(one(random, STATES))
        .append("\",\"customer\":{\"id\":")
        .append(skewed(random, 200_000))
        .append(",\"name\":\"")
        .append(one(random, NAMES))
        .append("\",\"tier\":\"")
        .append(random.nextInt(9) == 0 ? "GOLD" : "STANDARD")
        .append("\"},\"address\":{\"city\":\"")
        .append(one(random, CITIES))
        .append("\",\"zip\":\"")
        .append(10_000 + skewed(random, 50_000))
        .append("\",\"line1\":\"")
        .append(1 + random.nextInt(300))
        .append(" Teheran-ro\"},\"lines\":[");
    int lines = 1 + skewed(random, 7);
    for (int i = 0; i < lines; i++) {
      int article = skewed(random, 20_000);
      json.append(i == 0 ? "" : ",")
          .append("{\"sku\":\"A-")
          .append(article)
          .append("\",\"title\":\"Article number ")
          .append(article)
          .append("\",\"quantity\":")
          .append(1 + skewed(random, 5))
          .append(",\"price\":{\"amount\":")
          .append(990 + article % 700 * 100)
          .append(",\"currency\":\"KRW\"},\"taxRate\":0.1}");
    }
    return json.append("],\"payment\":{\"method\":\"")
        .append(random.nextInt(4) == 0 ? "TRANSFER" : "CARD")
        .append("\",\"reference\":\"")
        .append(Long.toHexString(random.nextLong()))
        .append("\"},\"notes\":null}")
        .toString();
  }

  private static final List<String> SERVICES =
      List.of("checkout", "catalogue", "basket", "search", "payment", "stock", "mail", "login");

  private static String log(Random random, int number) {
    String service = one(random, SERVICES);
    boolean failed = random.nextInt(12) == 0;
    StringBuilder json = new StringBuilder();
    json.append("{\"@timestamp\":\"2026-05-11T09:")
        .append(10 + number / 60 % 50)
        .append(':')
        .append(10 + number % 50)
        .append('.')
        .append(100 + random.nextInt(900))
        .append("Z\",\"level\":\"")
        .append(failed ? "ERROR" : "INFO")
        .append("\",\"service\":\"")
        .append(service)
        .append("\",\"host\":\"")
        .append(service)
        .append('-')
        .append(skewed(random, 12))
        .append(".prod.internal\",\"logger\":\"com.example.")
        .append(service)
        .append(".http.RequestLog\",\"thread\":\"http-nio-8080-exec-")
        .append(random.nextInt(40))
        .append("\",\"traceId\":\"")
        .append(Long.toHexString(random.nextLong()))
        .append("\",\"spanId\":\"")
        .append(Integer.toHexString(random.nextInt()))
        .append("\",\"request\":{\"method\":\"")
        .append(random.nextInt(3) == 0 ? "POST" : "GET")
        .append("\",\"path\":\"/api/v2/")
        .append(service)
        .append('/')
        .append(skewed(random, 9_000))
        .append("\",\"status\":")
        .append(failed ? 500 : 200)
        .append(",\"durationMillis\":")
        .append(skewed(random, 900))
        .append(",\"userAgent\":\"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36\"}");
    if (failed) {
      json.append(
              ",\"error\":{\"type\":\"java.net.SocketTimeoutException\",\"message\":\"Read timed")
          .append(" out\",\"stack\":[");
      for (int i = 0; i < 6; i++) {
        json.append(i == 0 ? "" : ",")
            .append("\"com.example.")
            .append(service)
            .append(".Step")
            .append(skewed(random, 40))
            .append(".run(Step.java:")
            .append(random.nextInt(400))
            .append(")\"");
      }
      json.append("]}");
    }
    return json.append(",\"message\":\"Request completed\"}").toString();
  }

  private static byte[] gzip(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Of a test: what a key this weak hides is of no worth. */
  private static byte[] encrypt(String text, Random random) {
    try {
      byte[] iv = new byte[16];
      random.nextBytes(iv);
      Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
      cipher.init(
          Cipher.ENCRYPT_MODE,
          new SecretKeySpec(Arrays.copyOf(new byte[] {1}, 16), "AES"),
          new javax.crypto.spec.IvParameterSpec(iv));
      return cipher.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
