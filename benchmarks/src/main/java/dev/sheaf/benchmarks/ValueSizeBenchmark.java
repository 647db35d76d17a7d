package dev.sheaf.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import redis.clients.jedis.UnifiedJedis;

/**
 * How many values of a size do waiting threads read?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar ValueSize -t 8 -p size=KB_10,MIX -f 3
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class ValueSizeBenchmark extends ConnectedClient {

  private static final int KEYS = 100;
  private static final int PERCENT = 100;

  /** How large values are, in bytes. */
  public enum Size {
    B_100(100),
    KB_1(1_000),
    KB_10(10_000),
    KB_100(100_000),
    MB_1(1_000_000),
    /** Of a hundred reads 90 of 100 bytes, 9 of 10 kB and one of 1 MB. */
    MIX(0);

    private static final int SMALL = 90;
    private static final int LARGEST = 99;

    private final int bytes;

    Size(int bytes) {
      this.bytes = bytes;
    }

    int bytes() {
      return bytes;
    }

    /** The name of the question about values of that size. */
    String question() {
      return "value-size-" + name().toLowerCase(Locale.ROOT).replace("_", "");
    }

    /** The one size that a question is about; none for a mix. */
    static Optional<Size> ofQuestion(String name) {
      return Arrays.stream(values())
          .filter(size -> size != MIX && size.question().equals(name))
          .findFirst();
    }

    private Size next() {
      if (this != MIX) {
        return this;
      }
      int chance = ThreadLocalRandom.current().nextInt(PERCENT);
      if (chance < SMALL) {
        return B_100;
      }
      return chance < LARGEST ? KB_10 : MB_1;
    }
  }

  /** What the client is connected to. */
  @Param("STANDALONE")
  public ServerKind server = ServerKind.STANDALONE;

  /** How large values are. */
  @Param public Size size = Size.B_100;

  @Override
  protected ServerKind serverKind() {
    return server;
  }

  /** Stores the values unless they are there. */
  @Setup(Level.Trial)
  public void store() {
    try (UnifiedJedis jedis = Dataset.connect(server, uri())) {
      for (Size each : Size.values()) {
        String last = key(each, KEYS - 1);
        if (each != Size.MIX && !jedis.exists(last)) {
          for (int i = 0; i < KEYS; i++) {
            String key = key(each, i);
            jedis.set(key, (key + ";").repeat(each.bytes).substring(0, each.bytes));
          }
        }
      }
    }
  }

  private static String key(Size size, int index) {
    return "sheaf-bench:size:" + size.bytes + ":" + index;
  }

  /** One GET of a random key. */
  @Benchmark
  public String get() {
    Size next = size.next();
    String key = key(next, ThreadLocalRandom.current().nextInt(KEYS));
    String value = rival().get(key);
    if (value == null || value.length() != next.bytes || !value.startsWith(key)) {
      throw new IllegalStateException("Read a wrong value for " + key);
    }
    return value;
  }
}
