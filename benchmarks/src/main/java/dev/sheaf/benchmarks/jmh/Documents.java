// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The documents to compress: the files of the directory that the system property {@code
 * sheaf.documents} names, or generated ones.
 */
final class Documents {

  private static final String PROPERTY = "sheaf.documents";
  private static final int INVENTED = 500;
  private static final int LARGEST_INVENTED_BYTES = 20_000;

  private Documents() {}

  /** Returns all documents; at least one. */
  static List<byte[]> all() {
    String directory = System.getProperty(PROPERTY);
    return directory == null ? invented() : read(Path.of(directory));
  }

  private static List<byte[]> read(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      List<byte[]> documents = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        documents.add(Files.readAllBytes(file));
      }
      if (documents.isEmpty()) {
        throw new IllegalStateException("There are no documents in " + directory);
      }
      return documents;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<byte[]> invented() {
    Random random = new Random(1);
    return Stream.generate(() -> invented(random, 500 + random.nextInt(LARGEST_INVENTED_BYTES)))
        .limit(INVENTED)
        .toList();
  }

  private static byte[] invented(Random random, int bytes) {
    StringBuilder json = new StringBuilder("{\"items\":[");
    while (json.length() < bytes) {
      json.append(
          "{\"id\":%s,\"name\":\"item-%s\",\"available\":%s},"
              .formatted(random.nextInt(1_000_000), random.nextInt(1_000), random.nextBoolean()));
    }
    return json.append("{}]}").toString().getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Returns a document of exactly this size: a slightly larger one, truncated, or a generated one.
   */
  static byte[] ofSize(int bytes) {
    for (byte[] document : all()) {
      if (document.length >= bytes && document.length < 2 * bytes) {
        return Arrays.copyOf(document, bytes);
      }
    }
    return Arrays.copyOf(invented(new Random(1), bytes), bytes);
  }
}
