// SPDX-License-Identifier: Apache-2.0
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
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Sets of small values, three with much in common and three with nothing. */
enum SmallValues {
  /** Pieces of the POM files of a Maven repository, each in a JSON record. */
  POM_RECORDS("POM files cut to records", SmallValues::pomRecords),
  /** Orders, in which few customers, articles and cities have most. */
  ORDERS("orders, generated with skew", 1, (random, i) -> bytes(order(random, i))),
  /** Log lines as services write them for search engines. */
  LOGS("log lines as JSON", 2, (random, i) -> bytes(log(random, i))),
  RANDOM("random bytes", 3, (random, i) -> noise(random)),
  GZIPPED(
      "orders, compressed by the application",
      4,
      (random, i) -> gzip(order(random, i) + order(random, i + 1) + order(random, i + 2))),
  ENCRYPTED(
      "orders, encrypted by the application", 5, (random, i) -> encrypt(order(random, i), random));

  private static final int MIN_BYTES = 300;
  private static final int MAX_BYTES = 1_500;

  private final String title;
  private final IntFunction<List<byte[]>> making;

  SmallValues(String title, IntFunction<List<byte[]>> making) {
    this.title = title;
    this.making = making;
  }

  SmallValues(String title, int seed, BiFunction<Random, Integer, byte[]> one) {
    this.title = title;
    this.making =
        count -> {
          Random random = new Random(seed);
          return IntStream.range(0, count).mapToObj(i -> one.apply(random, i)).toList();
        };
  }

  String title() {
    return title;
  }

  /** The same values in each run. */
  List<byte[]> values(int count) {
    return making.apply(count);
  }

  /** Returns values of exactly this size: concatenated records, truncated. */
  static List<byte[]> ofSize(List<byte[]> records, int size, int count) {
    List<byte[]> values = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[size];
      int filled = 0;
      while (filled < size) {
        byte[] record = records.get(next++ % records.size());
        int length = Math.min(record.length, size - filled);
        System.arraycopy(record, 0, value, filled, length);
        filled += length;
      }
      values.add(value);
    }
    return values;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] noise(Random random) {
    byte[] noise = new byte[size(random)];
    random.nextBytes(noise);
    return noise;
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
          String piece = text.substring(start, end).replace("\\", "\\\\").replace("\"", "\\\"");
          records.add(
              bytes(
                  "{\"file\":\"%s\",\"text\":\"%s\"}"
                      .formatted(file.getFileName(), piece.replace("\n", "\\n"))));
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
    Collections.shuffle(records, random);
    return records.subList(0, count);
  }

  private static final List<String> CITIES =
      List.of("Seoul", "Busan", "Incheon", "Daegu", "Daejeon", "Gwangju", "Suwon", "Ulsan", "Jeju");
  private static final List<String> NAMES =
      List.of("Kim", "Lee", "Park", "Choi", "Jung", "Kang", "Cho", "Yoon", "Jang", "Lim", "Han");
  private static final List<String> STATES = List.of("PAID", "SHIPPED", "DELIVERED", "RETURNED");

  private static String order(Random random, int number) {
    String head =
        """
        {"id":%s,"createdAt":"2026-0%s-%sT%s:%s:12.%sZ","status":"%s",\
        "customer":{"id":%s,"name":"%s","tier":"%s"},\
        "address":{"city":"%s","zip":"%s","line1":"%s Teheran-ro"},"lines":["""
            .formatted(
                7_300_000 + number,
                1 + random.nextInt(9),
                10 + random.nextInt(18),
                10 + random.nextInt(14),
                10 + random.nextInt(50),
                100 + random.nextInt(900),
                one(random, STATES),
                skewed(random, 200_000),
                one(random, NAMES),
                random.nextInt(9) == 0 ? "GOLD" : "STANDARD",
                one(random, CITIES),
                10_000 + skewed(random, 50_000),
                1 + random.nextInt(300));
    return head
        + repeated(1 + skewed(random, 7), () -> line(random, skewed(random, 20_000)))
        + "],\"payment\":{\"method\":\"%s\",\"reference\":\"%s\"},\"notes\":null}"
            .formatted(
                random.nextInt(4) == 0 ? "TRANSFER" : "CARD", Long.toHexString(random.nextLong()));
  }

  private static String line(Random random, int article) {
    return """
        {"sku":"A-%s","title":"Article number %s","quantity":%s,\
        "price":{"amount":%s,"currency":"KRW"},"taxRate":0.1}"""
        .formatted(article, article, 1 + skewed(random, 5), 990 + article % 700 * 100);
  }

  private static String repeated(int times, Supplier<String> text) {
    return Stream.generate(text).limit(times).collect(Collectors.joining(","));
  }

  private static final List<String> SERVICES =
      List.of("checkout", "catalogue", "basket", "search", "payment", "stock", "mail", "login");

  private static String log(Random random, int number) {
    String service = one(random, SERVICES);
    boolean failed = random.nextInt(12) == 0;
    String head =
        """
        {"@timestamp":"2026-05-11T09:%s:%s.%sZ","level":"%s","service":"%s",\
        "host":"%s-%s.prod.internal","logger":"com.example.%s.http.RequestLog",\
        "thread":"http-nio-8080-exec-%s","traceId":"%s","spanId":"%s",\
        "request":{"method":"%s","path":"/api/v2/%s/%s","status":%s,"durationMillis":%s,\
        "userAgent":"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36"}"""
            .formatted(
                10 + number / 60 % 50,
                10 + number % 50,
                100 + random.nextInt(900),
                failed ? "ERROR" : "INFO",
                service,
                service,
                skewed(random, 12),
                service,
                random.nextInt(40),
                Long.toHexString(random.nextLong()),
                Integer.toHexString(random.nextInt()),
                random.nextInt(3) == 0 ? "POST" : "GET",
                service,
                skewed(random, 9_000),
                failed ? 500 : 200,
                skewed(random, 900));
    return head + (failed ? error(random, service) : "") + ",\"message\":\"Request completed\"}";
  }

  private static String error(Random random, String service) {
    Supplier<String> frame =
        () ->
            "\"com.example.%s.Step%s.run(Step.java:%s)\""
                .formatted(service, skewed(random, 40), random.nextInt(400));
    return """
        ,"error":{"type":"java.net.SocketTimeoutException","message":"Read timed out","stack":["""
        + repeated(6, frame)
        + "]}";
  }

  private static byte[] gzip(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(bytes(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** For a test: the weak key protects nothing of value. */
  private static byte[] encrypt(String text, Random random) {
    try {
      byte[] iv = new byte[16];
      random.nextBytes(iv);
      Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
      cipher.init(
          Cipher.ENCRYPT_MODE,
          new SecretKeySpec(Arrays.copyOf(new byte[] {1}, 16), "AES"),
          new IvParameterSpec(iv));
      return cipher.doFinal(bytes(text));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
