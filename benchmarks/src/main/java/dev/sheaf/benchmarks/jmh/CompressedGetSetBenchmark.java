package dev.sheaf.benchmarks.jmh;

import dev.sheaf.benchmarks.servers.RedisProcess;
import dev.sheaf.embedded.proxy.LatencyProxy;
import java.time.Duration;
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
 * How many documents of 10 KB a second do threads read and write, nine reads to a write, with and
 * without compression, near the server and over a link of 1 Gbit/s?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar CompressedGetSet -t 32 -f 1
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

  private static final int KEYS = 1_000;
  private static final int BYTES = 10_240;
  private static final long BITS_PER_SECOND = 1_000_000_000;

  /** Who reads and writes. */
  @Param({"SHEAF", "SHEAF_SNAPPY", "SHEAF_LZ4", "LETTUCE", "LETTUCE_GZIP", "REDISSON_SNAPPY"})
  public DocumentClient.Kind client = DocumentClient.Kind.SHEAF;

  /** The way to the server. */
  @Param({"LOOPBACK", "GIGABIT"})
  public Link link = Link.LOOPBACK;

  private byte[] document = {};
  private @Nullable RedisProcess server;
  private @Nullable LatencyProxy proxy;
  private @Nullable DocumentClient documents;

  /** Starts a server with documents. */
  @Setup
  public void connect() {
    document = Documents.ofSize(BYTES);
    RedisProcess started = RedisProcess.start(false);
    server = started;
    int port = started.port();
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
    DocumentClient connected = client.connect("redis://127.0.0.1:" + port);
    documents = connected;
    for (int i = 0; i < KEYS; i++) {
      connected.set().accept("document:" + i, document);
    }
  }

  /** One read, or one write of ten. */
  @Benchmark
  public int getOrSet() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String key = "document:" + random.nextInt(KEYS);
    DocumentClient connected = Objects.requireNonNull(documents);
    if (random.nextInt(10) == 0) {
      connected.set().accept(key, document);
      return 0;
    }
    int length = Objects.requireNonNull(connected.get().apply(key)).length;
    if (length != BYTES) {
      throw new IllegalStateException("A document has " + length + " bytes");
    }
    return length;
  }

  /** Stops everything. */
  @TearDown
  public void close() {
    if (documents != null) {
      documents.close().run();
    }
    if (proxy != null) {
      proxy.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
