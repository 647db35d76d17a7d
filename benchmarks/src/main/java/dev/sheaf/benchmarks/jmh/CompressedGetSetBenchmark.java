// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.RealRedis;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How many documents of 10 KB, or orders of 1 KB, a second do threads read and write, nine reads to
 * a write, with and without compression, near the server and over a link of 1 Gbit/s? It also tells
 * how much memory of the server the values take.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar CompressedGetSet -t 32 -f 1
 * java -jar benchmarks/target/benchmarks.jar CompressedGetSet -t 32 -f 1 -p values=ORDERS \
 *     -p client=SHEAF,SHEAF_SNAPPY,SHEAF_ZSTD,SHEAF_DICTIONARY
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Benchmark)
public class CompressedGetSetBenchmark {

  /** Where the server is. */
  public enum Link {
    /** On this machine. */
    LOOPBACK,
    /** 1 Gbit/s, half a millisecond there and back. */
    GIGABIT
  }

  /** What is stored. */
  public enum Values {
    /** 1,000 times a document of 10 KB. */
    DOCUMENTS,
    /** 10,000 orders of 1 KB: two or three of them, as a list has them, cut. */
    ORDERS;

    private List<byte[]> all() {
      return this == DOCUMENTS
          ? Collections.nCopies(1_000, Documents.ofSize(10_240))
          : SmallValues.ofSize(SmallValues.ORDERS.values(30_000), 1_024, 10_000);
    }
  }

  private static final int LEARNED = 2_000;
  private static final long BITS_PER_SECOND = 1_000_000_000;

  /** The client that reads and writes. */
  @Param({"SHEAF", "SHEAF_SNAPPY", "SHEAF_LZ4", "LETTUCE", "LETTUCE_GZIP", "REDISSON_SNAPPY"})
  public DocumentClient.Kind client = DocumentClient.Kind.SHEAF;

  /** The way to the server. */
  @Param({"LOOPBACK", "GIGABIT"})
  public Link link = Link.LOOPBACK;

  /** The values to read and write. */
  @Param("DOCUMENTS")
  public Values values = Values.DOCUMENTS;

  private List<byte[]> stored = List.of();
  private final RealRedis server = RealRedis.start();
  private @Nullable LatencyProxy proxy;
  private @Nullable DocumentClient connected;

  /** Starts a server with values. */
  @Setup
  public void connect() {
    stored = values.all();
    int port = server.port();
    if (link == Link.GIGABIT) {
      LatencyProxy distance =
          LatencyProxy.builder()
              .target("127.0.0.1", port)
              .oneWayDelay(Duration.ofNanos(250_000))
              .bandwidthBitsPerSecond(BITS_PER_SECOND)
              .start();
      proxy = distance;
      port = distance.port();
    }
    DocumentClient each = client.connect("redis://127.0.0.1:" + port);
    connected = each;
    each.learn().accept(stored.subList(0, Math.min(stored.size(), LEARNED)));
    long before = usedMemory();
    for (int i = 0; i < stored.size(); i++) {
      each.set().accept("document:" + i, stored.get(i));
    }
    System.out.printf("used_memory: %,d KB more%n", (usedMemory() - before) / 1_024);
  }

  private long usedMemory() {
    String memory = String.valueOf(server.command("INFO", "memory"));
    return Long.parseLong(memory.replaceAll("(?s).*\\Wused_memory:(\\d+).*", "$1"));
  }

  /** One read, or one write in ten. */
  @Benchmark
  public int getOrSet() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int index = random.nextInt(stored.size());
    String key = "document:" + index;
    DocumentClient each = Objects.requireNonNull(connected);
    if (random.nextInt(10) == 0) {
      each.set().accept(key, stored.get(index));
      return 0;
    }
    int length = Objects.requireNonNull(each.get().apply(key)).length;
    if (length != stored.get(index).length) {
      throw new IllegalStateException("A document has " + length + " bytes");
    }
    return length;
  }

  /** Stops everything. */
  @TearDown
  public void close() {
    if (connected != null) {
      connected.close();
    }
    if (proxy != null) {
      proxy.close();
    }
    server.close();
  }
}
