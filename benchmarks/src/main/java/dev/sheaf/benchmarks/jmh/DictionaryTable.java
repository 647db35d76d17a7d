// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sheaf.benchmarks.jmh.DocumentClient.Kind;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RespConnection;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Measures what trained dictionaries save for small values, compared with other ways to store them;
 * {@link CompressedGetSetBenchmark} has the rates.
 */
public final class DictionaryTable {

  /** The first values are trained on, the others are measured. */
  private static final int LEARNED = 2_000;

  private static final int MEASURED = 4_000;
  private static final int COST_ROUNDS = 400;
  private static final int COST_VALUES = 200;
  private static final int[] SIZES = {128, 256, 512, 1_024, 2_048, 4_096};
  private static final List<Kind> WAYS =
      List.of(
          Kind.SHEAF, Kind.SHEAF_SNAPPY, Kind.SHEAF_LZ4, Kind.SHEAF_ZSTD, Kind.SHEAF_DICTIONARY);
  private static final List<SmallValues> COMPRESSIBLE =
      List.of(SmallValues.POM_RECORDS, SmallValues.ORDERS, SmallValues.LOGS);
  private static final List<SmallValues> OTHERS =
      List.of(SmallValues.RANDOM, SmallValues.GZIPPED, SmallValues.ENCRYPTED);

  private DictionaryTable() {}

  /** The data file of the chart. */
  private record Shares(String about, List<Share> rows) {}

  private record Share(String values, int bytes, Map<String, String> stored) {}

  /**
   * Prints stored sizes, without times.
   *
   * @param file for the shares by value size; null for none
   */
  public static void shares(@Nullable Path file, PrintStream out) throws IOException {
    out.printf(
        Locale.ROOT,
        "%nStored bytes of %,d values that no dictionary was trained on, envelope included, by those"
            + " of the originals%n%n",
        MEASURED);
    out.println("| Values | Mean size | Snappy | LZ4 | Zstandard, level 3 | Dictionary |");
    out.println("|:--|--:|--:|--:|--:|--:|");
    for (SmallValues corpus : COMPRESSIBLE) {
      List<byte[]> values = corpus.values(LEARNED + MEASURED);
      List<String> shares = new ArrayList<>(shares(values).values());
      shares.set(0, "%,d".formatted(bytes(values.subList(LEARNED, values.size())) / MEASURED));
      out.printf("| %s | %s |%n", corpus.title(), String.join(" | ", shares));
    }
    if (file != null) {
      writeBySize(file);
    }
  }

  private static void writeBySize(Path file) throws IOException {
    List<Share> rows = new ArrayList<>();
    for (SmallValues corpus : COMPRESSIBLE) {
      List<byte[]> records = corpus.values(LEARNED + MEASURED);
      // The measured values share nothing with the training values, at any size.
      int half = records.size() / 2;
      for (int size : SIZES) {
        List<byte[]> values =
            new ArrayList<>(SmallValues.ofSize(records.subList(0, half), size, LEARNED));
        values.addAll(SmallValues.ofSize(records.subList(half, 2 * half), size, MEASURED));
        rows.add(new Share(corpus.title(), size, shares(values)));
      }
    }
    String about =
        "Stored bytes by those of the originals, envelope included, of %d values of each size that no"
            + " dictionary was trained on. Printed by benchmarks.jar dictionaries --parts shares"
            + " --shares FILE";
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(file.toFile(), new Shares(about.formatted(MEASURED), rows));
  }

  private static long bytes(List<byte[]> values) {
    return values.stream().mapToLong(value -> value.length).sum();
  }

  /** Returns the stored share of the values after the training values, by the way's title. */
  private static Map<String, String> shares(List<byte[]> values) {
    Map<String, String> shares = new LinkedHashMap<>();
    List<byte[]> measured = values.subList(LEARNED, values.size());
    for (Kind way : WAYS) {
      try (RealRedis server = RealRedis.start();
          RespConnection plain = server.connect();
          DocumentClient client = way.connect(server.uri())) {
        client.learn().accept(values.subList(0, LEARNED));
        long stored = 0;
        for (byte[] value : measured) {
          client.set().accept("v", value);
          stored += (Long) Objects.requireNonNull(plain.call("STRLEN", "v"));
          if (!Arrays.equals(client.get().apply("v"), value)) {
            throw new IllegalStateException("A value came back as another");
          }
        }
        double share = (double) stored / bytes(measured);
        shares.put(way.title, String.format(Locale.ROOT, "%.3f", share));
      }
    }
    return shares;
  }

  /** Prints the cost of values that nothing can compress. */
  public static void adversaries(PrintStream out) {
    out.printf("%nValues that nothing compresses%n%n");
    out.println("| Values | Dictionaries | Time of SET beside Snappy alone, median (quartiles) |");
    out.println("|:--|--:|--:|");
    for (SmallValues corpus : OTHERS) {
      List<byte[]> values = corpus.values(MEASURED);
      try (RealRedis server = RealRedis.start();
          DocumentClient with = Kind.SHEAF_DICTIONARY.connect(server.uri());
          DocumentClient without = Kind.SHEAF_SNAPPY.connect(server.uri())) {
        with.learn().accept(values);
        List<Double> factors = new ArrayList<>();
        for (int round = 0; round < COST_ROUNDS; round++) {
          List<byte[]> some = values.subList(0, COST_VALUES);
          double first = setAll(round % 2 == 0 ? with : without, some);
          double second = setAll(round % 2 == 0 ? without : with, some);
          factors.add(round % 2 == 0 ? first / second : second / first);
        }
        factors.sort(null);
        out.printf(
            Locale.ROOT,
            "| %s | %s | %.3f (%.3f to %.3f) |%n",
            corpus.title(),
            server.command("HLEN", "sheaf:{dictionaries}"),
            factors.get(COST_ROUNDS / 2),
            factors.get(COST_ROUNDS / 4),
            factors.get(COST_ROUNDS * 3 / 4));
      }
    }
  }

  private static double setAll(DocumentClient client, List<byte[]> values) {
    long start = System.nanoTime();
    for (int i = 0; i < values.size(); i++) {
      client.set().accept("v:" + i, values.get(i));
    }
    return System.nanoTime() - start;
  }
}
