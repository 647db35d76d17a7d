package dev.sheaf.benchmarks.jmh;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.servers.RedisProcess;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.Compressors;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.embedded.proxy.LatencyProxy;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Tells what trained dictionaries make of small values, beside other ways to store them. */
public final class DictionaryTable {

  /** The first ones are learned from, the others are measured. */
  private static final int LEARNED = 2_000;

  private static final int MEASURED = 4_000;
  private static final int THREADS = 32;
  private static final int KILOBYTE = 1_024;
  private static final int KEYS = 10_000;
  private static final long NANOS_PER_ROUND = 3_000_000_000L;
  private static final int ROUNDS = 3;
  private static final int COST_ROUNDS = 400;
  private static final int COST_VALUES = 200;
  private static final int[] SIZES = {128, 256, 512, 1_024, 2_048, 4_096};
  private static final List<SmallValues> COMPRESSIBLE =
      List.of(SmallValues.POM_RECORDS, SmallValues.ORDERS, SmallValues.LOGS);

  /** How values are stored. */
  private enum Way {
    RAW("not compressed"),
    SNAPPY("Snappy"),
    LZ4("LZ4"),
    ZSTD("Zstandard, level 3"),
    DICTIONARY("Zstandard with a dictionary");

    final String title;

    Way(String title) {
      this.title = title;
    }

    @Nullable CompressionOptions options() {
      return switch (this) {
        case RAW -> null;
        case SNAPPY -> of(Compressors.snappy()).build();
        case LZ4 -> of(Compressors.lz4()).build();
        case ZSTD -> of(Compressors.zstd()).build();
        case DICTIONARY ->
            of(Compressors.snappy())
                .dictionaries(
                    // A busy machine does not decide what is stored.
                    DictionaryOptions.builder().maxNanosPerSavedByte(Integer.MAX_VALUE).build())
                .build();
      };
    }

    private static CompressionOptions.Builder of(Compressor compressor) {
      return CompressionOptions.builder()
          .policies(
              CompressionPolicy.builder().prefix("v:").compressor(compressor).minBytes(64).build());
    }
  }

  private static final List<Way> RATED = List.of(Way.RAW, Way.SNAPPY, Way.ZSTD, Way.DICTIONARY);

  private final PrintStream out;

  private DictionaryTable(PrintStream out) {
    this.out = out;
  }

  /** What of it to measure. */
  public enum Part {
    /** How much of values is stored; times play no part. */
    SHARES,
    /** What values cost that nothing compresses. */
    ADVERSARIES,
    /** Operations a second, and the memory of the server. */
    RATES
  }

  /**
   * Measures and prints.
   *
   * @param parts what
   * @param shares the file for the shares by size of value; null for none
   */
  public static void print(Set<Part> parts, @Nullable Path shares, PrintStream out)
      throws Exception {
    DictionaryTable table = new DictionaryTable(out);
    if (parts.contains(Part.SHARES)) {
      table.ratios();
      if (shares != null) {
        table.sizes(shares);
      }
    }
    if (parts.contains(Part.ADVERSARIES)) {
      table.adversaries();
    }
    if (parts.contains(Part.RATES)) {
      table.rates(false);
      table.rates(true);
    }
  }

  private static Sheaf<String, byte[]> connect(
      int port, Way way, @Nullable SimpleMeterRegistry registry) {
    var builder =
        Sheaf.builder("redis://127.0.0.1:" + port)
            .loopDetection(false)
            .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
    CompressionOptions options = way.options();
    if (options != null) {
      builder.compression(options);
    }
    if (registry != null) {
      builder.meterRegistry(registry);
    }
    return builder.connect();
  }

  private void ratios() {
    out.printf(
        Locale.ROOT,
        "%nStored bytes of %,d values that no dictionary was trained on, envelope included, by those"
            + " of the originals%n%n",
        MEASURED);
    out.println("| Values | Mean size | Snappy | LZ4 | Zstandard, level 3 | Dictionary |");
    out.println("|:--|--:|--:|--:|--:|--:|");
    for (SmallValues corpus : COMPRESSIBLE) {
      List<byte[]> values = corpus.values(LEARNED + MEASURED);
      Map<Way, Double> shares = shares(values);
      out.printf(
          Locale.ROOT,
          "| %s | %,d | %.3f | %.3f | %.3f | %.3f |%n",
          corpus.title(),
          bytes(values.subList(LEARNED, values.size())) / MEASURED,
          shares.get(Way.SNAPPY),
          shares.get(Way.LZ4),
          shares.get(Way.ZSTD),
          shares.get(Way.DICTIONARY));
    }
  }

  private static long bytes(List<byte[]> values) {
    return values.stream().mapToLong(value -> value.length).sum();
  }

  /** How much is stored of the values behind those that are learned from. */
  private static Map<Way, Double> shares(List<byte[]> values) {
    Map<Way, Double> shares = new EnumMap<>(Way.class);
    List<byte[]> measured = values.subList(LEARNED, values.size());
    for (Way way : Way.values()) {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      try (RedisProcess server = RedisProcess.start(false);
          Sheaf<String, byte[]> sheaf = connect(server.port(), way, registry);
          Sheaf<String, byte[]> plain = connect(server.port(), Way.RAW, null)) {
        if (way == Way.DICTIONARY) {
          learn(sheaf, registry, values.subList(0, LEARNED));
        }
        long stored = 0;
        for (int i = 0; i < measured.size(); i++) {
          byte[] value = measured.get(i);
          sheaf.sync().set("v:" + i, value);
          stored += plain.sync().strlen("v:" + i);
          if (!Arrays.equals(sheaf.sync().get("v:" + i), value)) {
            throw new IllegalStateException("A value came back as another");
          }
        }
        shares.put(way, (double) stored / bytes(measured));
      }
    }
    return shares;
  }

  /** Writes the shares of values of each size, which the chart shows. */
  private void sizes(Path file) throws IOException {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (SmallValues corpus : COMPRESSIBLE) {
      List<byte[]> records = corpus.values(LEARNED + MEASURED);
      // What is measured has nothing of what is learned from, however long the values are.
      List<byte[]> learned = records.subList(0, records.size() / 2);
      List<byte[]> others = records.subList(learned.size(), records.size());
      for (int size : SIZES) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("values", corpus.title());
        row.put("bytes", size);
        Map<String, String> stored = new LinkedHashMap<>();
        List<byte[]> values = new ArrayList<>(ofSize(learned, size, LEARNED));
        values.addAll(ofSize(others, size, MEASURED));
        shares(values)
            .forEach(
                (way, share) -> stored.put(way.title, String.format(Locale.ROOT, "%.3f", share)));
        row.put("stored", stored);
        rows.add(row);
        out.println(row);
      }
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put(
        "about",
        "Stored bytes by those of the originals, envelope included, of "
            + MEASURED
            + " values of each size that no dictionary was trained on. Printed by"
            + " benchmarks.jar dictionaries --parts shares --shares FILE");
    all.put("rows", rows);
    Files.writeString(
        file, new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all) + "\n");
  }

  /** Values of exactly that size: as many records as it takes, one after the other, cut. */
  private static List<byte[]> ofSize(List<byte[]> records, int size, int count) {
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

  /** Writes until there is a dictionary, or it is known that none is worth it; whether there is. */
  private static boolean learn(
      Sheaf<String, byte[]> sheaf, SimpleMeterRegistry registry, List<byte[]> values) {
    sheaf.dictionaries().refresh();
    for (int i = 0; i < LEARNED; i++) {
      sheaf.sync().set("v:learn", values.get(i % values.size()));
    }
    while (trainings(registry) == 0) {
      LockSupport.parkNanos(1_000_000);
    }
    sheaf.sync().del("v:learn");
    return sheaf.dictionaries().list().stream().anyMatch(DictionaryInfo::isCurrent);
  }

  private void adversaries() {
    out.printf("%nValues that nothing compresses%n%n");
    out.println(
        "| Values | Writes until it was off | Dictionaries | Time of SET beside Snappy alone, median (quartiles) |");
    out.println("|:--|--:|--:|--:|");
    for (SmallValues corpus :
        List.of(SmallValues.RANDOM, SmallValues.GZIPPED, SmallValues.ENCRYPTED)) {
      List<byte[]> values = corpus.values(MEASURED);
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      try (RedisProcess server = RedisProcess.start(false);
          Sheaf<String, byte[]> with = connect(server.port(), Way.DICTIONARY, registry);
          Sheaf<String, byte[]> without = connect(server.port(), Way.SNAPPY, null)) {
        with.dictionaries().refresh();
        int writes = 0;
        while (trainings(registry) == 0 && writes < 1_000) {
          with.sync().set("v:" + writes, values.get(writes++ % values.size()));
        }
        while (trainings(registry) == 0) {
          LockSupport.parkNanos(1_000_000);
        }
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
            "| %s | %,d | %d | %.3f (%.3f to %.3f) |%n",
            corpus.title(),
            writes,
            with.dictionaries().list().size(),
            factors.get(COST_ROUNDS / 2),
            factors.get(COST_ROUNDS / 4),
            factors.get(COST_ROUNDS * 3 / 4));
      }
    }
  }

  private static double trainings(SimpleMeterRegistry registry) {
    return registry.find("sheaf.compression.dictionary.trainings").counters().stream()
        .mapToDouble(io.micrometer.core.instrument.Counter::count)
        .sum();
  }

  private static double setAll(Sheaf<String, byte[]> sheaf, List<byte[]> values) {
    long start = System.nanoTime();
    for (int i = 0; i < values.size(); i++) {
      sheaf.sync().set("v:" + i, values.get(i));
    }
    return System.nanoTime() - start;
  }

  private void rates(boolean gigabit) throws Exception {
    out.printf(
        "%nOrders of 1 KB, %d threads, nine GETs to a SET, %s%n%n",
        THREADS, gigabit ? "link of 1 Gbit/s, 0.5 ms" : "loopback");
    out.println("| Way | Operations a second | used_memory for 10,000 values |");
    out.println("|:--|--:|--:|");
    Map<Way, List<Double>> rates = new EnumMap<>(Way.class);
    Map<Way, Long> memory = new EnumMap<>(Way.class);
    List<byte[]> values = kilobytes();
    for (int round = 0; round < ROUNDS; round++) {
      for (Way way : RATED) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (RedisProcess server = RedisProcess.start(false);
            LatencyProxy link = gigabit ? link(server.port()) : null;
            Sheaf<String, byte[]> plain = connect(server.port(), Way.RAW, null);
            Sheaf<String, byte[]> sheaf =
                connect(
                    link == null ? server.port() : link.port(),
                    way,
                    way == Way.DICTIONARY ? registry : null)) {
          if (way == Way.DICTIONARY && !learn(sheaf, registry, values.subList(0, LEARNED))) {
            throw new IllegalStateException("No dictionary was worth it");
          }
          long before = usedMemory(plain);
          for (int i = 0; i < KEYS; i++) {
            sheaf.sync().set("v:" + i, values.get(i));
          }
          memory.put(way, usedMemory(plain) - before);
          measure(sheaf, values);
          rates.computeIfAbsent(way, key -> new ArrayList<>()).add(measure(sheaf, values));
        }
      }
    }
    for (Way way : RATED) {
      List<Double> of = Objects.requireNonNull(rates.get(way));
      of.sort(null);
      out.printf(
          Locale.ROOT,
          "| %s | %,.0f (%,.0f to %,.0f) | %,d KB |%n",
          way.title,
          of.get(ROUNDS / 2),
          of.get(0),
          of.get(ROUNDS - 1),
          Objects.requireNonNull(memory.get(way)) / KILOBYTE);
    }
  }

  private static LatencyProxy link(int port) {
    return LatencyProxy.builder()
        .target("127.0.0.1", port)
        .oneWayDelay(Duration.ofNanos(250_000))
        .bandwidthBitsPerSecond(1_000_000_000)
        .start();
  }

  /** Orders of a kilobyte: two or three of them, as a list has them, cut. */
  private static List<byte[]> kilobytes() {
    return ofSize(SmallValues.ORDERS.values(3 * KEYS), KILOBYTE, KEYS);
  }

  private static long usedMemory(Sheaf<String, byte[]> plain) {
    return plain
        .sync()
        .info("memory")
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
        .findFirst()
        .orElseThrow();
  }

  private static double measure(Sheaf<String, byte[]> sheaf, List<byte[]> values) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      LongAdder operations = new LongAdder();
      long start = System.nanoTime();
      long end = start + NANOS_PER_ROUND;
      Callable<Void> work =
          () -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            while (System.nanoTime() < end) {
              int key = random.nextInt(KEYS);
              if (random.nextInt(10) == 0) {
                sheaf.sync().set("v:" + key, values.get(key));
              } else if (sheaf.sync().get("v:" + key).length != KILOBYTE) {
                throw new IllegalStateException("A value came back with another size");
              }
              operations.increment();
            }
            return null;
          };
      for (Future<Void> done : threads.invokeAll(java.util.Collections.nCopies(THREADS, work))) {
        done.get();
      }
      return operations.sum() * 1e9 / (System.nanoTime() - start);
    } finally {
      threads.shutdown();
    }
  }
}
