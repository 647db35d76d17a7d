package dev.sheaf.benchmarks;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Requests of one kind as bytes, and the length of their replies. */
enum Workload {
  PING("PING", 7) {
    @Override
    List<String> request() {
      return List.of("PING");
    }
  },
  GET_SHORT("GET of 100 bytes", "$100\r\n\r\n".length() + 100) {
    @Override
    List<String> request() {
      return List.of("GET", shortKey());
    }
  },
  SET_SHORT("SET of 100 bytes", 5) {
    @Override
    List<String> request() {
      return List.of("SET", shortKey(), SHORT);
    }
  },
  GET_LONG("GET of 10 kB", "$10000\r\n\r\n".length() + 10_000) {
    @Override
    List<String> request() {
      return List.of("GET", longKey());
    }
  },
  SET_LONG("SET of 10 kB", 5) {
    @Override
    List<String> request() {
      return List.of("SET", longKey(), LONG);
    }
  },
  MSET_LONG("MSET of ten times 1 kB", 5) {
    @Override
    List<String> request() {
      List<String> words = new ArrayList<>(List.of("MSET"));
      for (int i = 0; i < 10; i++) {
        words.add("many:" + ThreadLocalRandom.current().nextInt(KEYS));
        words.add(LONG.substring(0, 1_000));
      }
      return words;
    }
  },
  /** Of a hundred keys at once; each counts as a request. */
  MGET_SHORT("GET of 100 bytes, 100 in an MGET", "*100\r\n".length() + 100 * (8 + 100)) {
    @Override
    List<String> request() {
      List<String> words = new ArrayList<>(List.of("MGET"));
      for (int i = 0; i < keys(); i++) {
        words.add(shortKey());
      }
      return words;
    }

    @Override
    int keys() {
      return 100;
    }
  };

  static final int KEYS = 1_000;

  private static final String SHORT = "s".repeat(100);
  private static final String LONG = "l".repeat(10_000);

  private final String title;
  private final int replyBytes;

  Workload(String title, int replyBytes) {
    this.title = title;
    this.replyBytes = replyBytes;
  }

  String title() {
    return title;
  }

  /** How long the reply to one request is. */
  int replyBytes() {
    return replyBytes;
  }

  /** How many requests one of these counts as. */
  int keys() {
    return 1;
  }

  abstract List<String> request();

  private static String shortKey() {
    return "short:" + ThreadLocalRandom.current().nextInt(KEYS);
  }

  private static String longKey() {
    return "long:" + ThreadLocalRandom.current().nextInt(KEYS);
  }

  /** Requests of this kind, one after the other. */
  byte[] requests(int count) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      bytes.writeBytes(encoded(request()));
    }
    return bytes.toByteArray();
  }

  /** Writes that store what the others read, and the bytes of their replies. */
  static byte[] store() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < KEYS; i++) {
      bytes.writeBytes(encoded(List.of("SET", "short:" + i, SHORT)));
      bytes.writeBytes(encoded(List.of("SET", "long:" + i, LONG)));
    }
    return bytes.toByteArray();
  }

  private static byte[] encoded(List<String> words) {
    StringBuilder text = new StringBuilder("*").append(words.size()).append("\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}
