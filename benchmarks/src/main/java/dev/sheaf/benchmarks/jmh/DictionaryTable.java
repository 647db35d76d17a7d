package dev.sheaf.benchmarks.jmh;

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
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

  /** How values are stored. */
  private enum Way {
    RAW("not compressed"),
    SNAPPY("Snappy"),
    ZSTD("Zstandard, level 3"),
    DICTIONARY("dictionary");

    final String title;

    Way(String title) {
      this.title = title;
    }

    @Nullable CompressionOptions options() {
      return switch (this) {
        case RAW -> null;
        case SNAPPY -> of(Compressors.snappy()).build();
        case ZSTD -> of(Compressors.zstd()).build();
        case DICTIONARY ->
            of(Compressors.snappy()).dictionaries(DictionaryOptions.defaults()).build();
      };
    }

    private static CompressionOptions.Builder of(Compressor compressor) {
      return CompressionOptions.builder().policies(CompressionPolicy.of("v:", compressor));
    }
  }

  private final PrintStream out;

  private DictionaryTable(PrintStream out) {
    this.out = out;
  }

  /** Measures and prints. */
  public static void print(PrintStream out) throws Exception {
    DictionaryTable table = new DictionaryTable(out);
    table.ratios();
    table.adversaries();
    table.rates(false);
    table.rates(true);
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
    out.println("| Values | Mean size | Snappy | Zstandard, level 3 | Dictionary | Its size |");
    out.println("|:--|--:|--:|--:|--:|--:|");
    for (SmallValues corpus :
        List.of(SmallValues.POM_RECORDS, SmallValues.ORDERS, SmallValues.LOGS)) {
      List<byte[]> values = corpus.values(LEARNED + MEASURED);
      Map<Way, Double> ratios = new EnumMap<>(Way.class);
      int dictionaryBytes = 0;
      List<byte[]> measured = values.subList(LEARNED, values.size());
      long original = measured.stream().mapToLong(value -> value.length).sum();
      for (Way way : Way.values()) {
        try (RedisProcess server = RedisProcess.start(false);
            Sheaf<String, byte[]> sheaf = connect(server.port(), way, null);
            Sheaf<String, byte[]> plain = connect(server.port(), Way.RAW, null)) {
          if (way == Way.DICTIONARY) {
            learn(sheaf, plain, values.subList(0, LEARNED));
            dictionaryBytes = sheaf.dictionaries().list().get(0).bytes();
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
          ratios.put(way, (double) stored / original);
        }
      }
      out.printf(
          Locale.ROOT,
          "| %s | %,d | %.3f | %.3f | %.3f | %,d |%n",
          corpus.title(),
          original / measured.size(),
          ratios.get(Way.SNAPPY),
          ratios.get(Way.ZSTD),
          ratios.get(Way.DICTIONARY),
          dictionaryBytes);
    }
  }

  private static void learn(
      Sheaf<String, byte[]> sheaf, Sheaf<String, byte[]> plain, List<byte[]> values) {
    sheaf.dictionaries().refresh();
    int i = 0;
    do {
      byte[] value = values.get(i++ % values.size());
      sheaf.sync().set("v:learn", value);
      if (i % LEARNED == 0) {
        LockSupport.parkNanos(100_000_000);
      }
    } while (plain.sync().get("v:learn")[6] != 2 && i < 100 * LEARNED);
    if (sheaf.dictionaries().list().stream().noneMatch(DictionaryInfo::isCurrent)) {
      throw new IllegalStateException("No dictionary was worth it");
    }
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
      for (Way way : Way.values()) {
        try (RedisProcess server = RedisProcess.start(false);
            LatencyProxy link = gigabit ? link(server.port()) : null;
            Sheaf<String, byte[]> plain = connect(server.port(), Way.RAW, null);
            Sheaf<String, byte[]> sheaf =
                connect(link == null ? server.port() : link.port(), way, null)) {
          if (way == Way.DICTIONARY) {
            learn(sheaf, plain, values.subList(0, LEARNED));
            plain.sync().del("v:learn");
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
    for (Way way : Way.values()) {
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

  /** Orders of about a kilobyte: two of them, as a list has them, cut. */
  private static List<byte[]> kilobytes() {
    List<byte[]> orders = SmallValues.ORDERS.values(3 * KEYS);
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      byte[] value = new byte[KILOBYTE];
      int filled = 0;
      for (int part = 0; filled < KILOBYTE; part++) {
        byte[] order = orders.get((3 * i + part) % orders.size());
        int length = Math.min(order.length, KILOBYTE - filled);
        System.arraycopy(order, 0, value, filled, length);
        filled += length;
      }
      values.add(value);
    }
    return values;
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
