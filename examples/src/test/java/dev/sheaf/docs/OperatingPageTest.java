// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.BatchingOptions;
import dev.sheaf.BulkLane;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.readthrough.Loader;
import dev.sheaf.scripts.ResultType;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.ScriptLibrary;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The catalogue of errors: each is provoked, and is what the page says. */
@Timeout(180)
class OperatingPageTest {

  private static final String PAGE = "docs/reference/errors.md";

  private interface Provocation {
    void provoke() throws Throwable;
  }

  @Test
  void errors_areWhatThePageSays() throws IOException {
    Map<String, Provocation> provocations = provocations();
    Set<String> documented = new TreeSet<>();
    for (List<String> row : Pages.rows(Pages.section(PAGE, "Errors"))) {
      String type = Pages.code(row.get(0));
      String message = Pages.code(row.get(1));
      documented.add(type + " " + message);
      Provocation provocation = provocations.get(type + " " + message);
      assertThat(provocation).as("no way to provoke %s: %s", type, message).isNotNull();
      Throwable thrown = catchThrowable(provocation::provoke);
      while (thrown instanceof ExecutionException || thrown instanceof CompletionException) {
        thrown = thrown.getCause();
      }
      assertThat(thrown).as(type).isNotNull().hasMessageContaining(message);
      assertThat(thrown.getClass().getSimpleName()).as("%s", thrown).isEqualTo(type);
    }
    assertThat(documented).isEqualTo(new TreeSet<>(provocations.keySet()));
  }

  @Test
  void everyExceptionOfTheClient_isInTheCatalogue() throws IOException {
    Set<String> documented =
        Pages.rows(Pages.section(PAGE, "Errors")).stream()
            .map(row -> Pages.code(row.get(0)))
            .collect(Collectors.toSet());
    try (Stream<Path> sources = Files.walk(Pages.ROOT.resolve("sdk-core/src/main/java"))) {
      assertThat(
              sources
                  .map(source -> source.getFileName().toString())
                  .filter(name -> name.endsWith("Exception.java"))
                  .map(name -> name.replace(".java", "")))
          .isNotEmpty()
          .allSatisfy(name -> assertThat(documented).contains(name));
    }
  }

  private static Map<String, Provocation> provocations() {
    Map<String, Provocation> all = new LinkedHashMap<>();
    connecting(all);
    lost(all);
    transactions(all);
    all.put(
        "QueueFullException The queue of a node connection is full",
        () -> {
          BatchingOptions small =
              BatchingOptions.builder()
                  .maxQueuedCommands(2)
                  .maxQueuedBytes(1_000)
                  .maxInFlightCommands(1)
                  .maxInFlightBytes(1_000)
                  .build();
          try (EmbeddedServer server = EmbeddedServer.start();
              Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).batching(small).connect()) {
            server.faults().pauseReading(true);
            RedisFuture<Long> last;
            // The server may still read what comes in the moment of the pause.
            do {
              last = sheaf.async().incr("n");
            } while (!last.toCompletableFuture().isCompletedExceptionally());
            answer(last);
          }
        });
    all.put(
        "QueueFullException wait for the connection to",
        whileANodeIsConnected(
            BatchingOptions.builder().maxQueuedCommands(2).maxQueuedBytes(1_000).build(),
            Duration.ofSeconds(20),
            3));
    all.put(
        "RedisCommandTimeoutException is still being opened",
        whileANodeIsConnected(BatchingOptions.defaults(), Duration.ofMillis(100), 1));
    all.put(
        "RedisCommandTimeoutException was not answered by",
        () -> {
          try (EmbeddedServer server = EmbeddedServer.start();
              Sheaf<String, String> sheaf =
                  Sheaf.builder(server.uri()).commandTimeout(Duration.ofMillis(500)).connect()) {
            server.faults().latency("incr", Duration.ofSeconds(5));
            sheaf.sync().incr("n");
          }
        });
    all.put(
        "UnavailableException LOADING",
        with(
            (server, sheaf) -> {
              server.faults().errorOn("ping", "LOADING Redis is loading the dataset in memory");
              sheaf.availability().withTimeout(Duration.ofSeconds(5)).ping();
            }));
    all.put(
        "UnavailableException Not sent: the node is DOWN",
        () -> {
          AvailabilityOptions failing =
              AvailabilityOptions.builder().failFastWhileDown(true).build();
          try (EmbeddedServer server = EmbeddedServer.start();
              Sheaf<String, String> sheaf =
                  Sheaf.builder(server.uri()).availability(failing).connect()) {
            server.faults().errorOn("ping", "LOADING Redis is loading the dataset in memory");
            while (sheaf.availability().status().state() != AvailabilityState.DOWN) {
              catchThrowable(() -> sheaf.availability().ping());
            }
            sheaf.sync().get("key");
          }
        });
    all.put(
        "RedisCommandExecutionException WRONGTYPE",
        with((server, sheaf) -> sheaf.sync().llen("text")));
    all.put(
        "SheafException cannot be sent on a connection that many callers share",
        with(
            (server, sheaf) ->
                sheaf
                    .sync()
                    .dispatch(
                        CommandType.CLIENT,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8).add("REPLY").add("OFF"))));
    all.put(
        "IllegalArgumentException Not a server URI", () -> Sheaf.connect("localhost:6379").close());
    all.put(
        "IllegalArgumentException must be at least",
        () -> BatchingOptions.builder().maxFusedKeys(1).build());
    all.put(
        "IllegalArgumentException keys at once without blocking",
        with(
            (server, sheaf) ->
                sheaf.getAllAsync(IntStream.range(0, 8_193).mapToObj(i -> "k" + i).toList())));
    all.put(
        "IllegalStateException The server is not a cluster",
        with((server, sheaf) -> sheaf.cluster()));
    values(all);
    scripts(all);
    return all;
  }

  private static void connecting(Map<String, Provocation> all) {
    all.put(
        "RedisConnectionException the connection was refused",
        () -> {
          int free;
          try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
          }
          Sheaf.connect("redis://127.0.0.1:" + free).close();
        });
    all.put(
        "RedisConnectionException the server asks for a password",
        () -> {
          try (EmbeddedServer server = EmbeddedServer.builder().password("secret").start()) {
            Sheaf.connect("redis://127.0.0.1:" + server.port()).close();
          }
        });
    all.put(
        "RedisConnectionException the server refused the user name or password",
        () -> {
          try (EmbeddedServer server = EmbeddedServer.builder().password("secret").start()) {
            Sheaf.connect("redis://:other@127.0.0.1:" + server.port()).close();
          }
        });
    all.put(
        "RedisConnectionException there was no answer within",
        () -> {
          try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Sheaf.builder("redis://127.0.0.1:" + silent.getLocalPort())
                .connectTimeout(Duration.ofMillis(200))
                .connect()
                .close();
          }
        });
  }

  private static void lost(Map<String, Provocation> all) {
    all.put(
        "OutcomeUnknownException whether it ran is unknown",
        with(
            (server, sheaf) -> {
              server.faults().dropReplies("incr", 1);
              RedisFuture<Long> count = sheaf.async().incr("n");
              awaitValue(server, "n");
              server.nodes().get(0).kill();
              answer(count);
            }));
    all.put(
        "ConnectionLostException was not answered before the connection was lost",
        with(
            (server, sheaf) -> {
              server.faults().dropReplies("get", 1);
              server.faults().dropReplies("set", 1);
              RedisFuture<String> read = sheaf.async().get("n");
              sheaf.async().set("n", "1");
              awaitValue(server, "n");
              server.nodes().get(0).kill();
              answer(read);
            }));
  }

  private static void transactions(Map<String, Provocation> all) {
    all.put(
        "ConnectionLostException the connection was lost since",
        with(
            (server, sheaf) -> {
              var redis = sheaf.standalone().sync();
              redis.watch("n");
              server.nodes().get(0).restart();
              redis.get("n");
              redis.multi();
              redis.incr("n");
              redis.exec();
            }));
    all.put(
        "SheafException DISCARD was sent in place of EXEC",
        withCompression(
            (server, sheaf) -> {
              var redis = sheaf.standalone().sync();
              redis.multi();
              redis.append("text", "more");
              redis.exec();
            }));
    all.put(
        "SheafException between MULTI and EXEC",
        with(
            (server, sheaf) -> {
              StatefulRedisConnection<String, String> connection = sheaf.standalone();
              connection.async().multi();
              RedisFuture<String> nested = connection.async().multi();
              assertThat(catchThrowable(() -> answer(nested))).isNotNull();
              // Lettuce marks the commands of a transaction until it knows that MULTI has failed.
              while (connection.isMulti()) {
                Thread.onSpinWait();
              }
              answer(connection.async().incr("n"));
            }));
  }

  private static void values(Map<String, Provocation> all) {
    all.put(
        "SheafException The loader failed",
        with(
            (server, sheaf) -> {
              Loader<String, String> loader =
                  key -> {
                    throw new IOException("no database");
                  };
              sheaf.readThrough("none", Duration.ofMinutes(1), loader);
            }));
    all.put(
        "CompressionRefusedException works on the bytes that are stored",
        withCompression((server, sheaf) -> sheaf.sync().append("page", "more")));
    all.put(
        "UnreadableValueException The stored value looks compressed and cannot be read",
        withCompression(
            (server, sheaf) -> {
              byte[] key = "page".getBytes(StandardCharsets.UTF_8);
              byte[] damaged =
                  ValueCompression.of(CompressionOptions.defaults()).compress(key, new byte[1_000]);
              damaged[damaged.length - 1] ^= 1;
              try (Sheaf<byte[], byte[]> plain =
                  Sheaf.builder(server.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
                plain.sync().set(key, damaged);
              }
              sheaf.sync().get("page");
            }));
  }

  private static void scripts(Map<String, Provocation> all) {
    all.put(
        "ScriptException cannot be compiled",
        with(
            (server, sheaf) ->
                sheaf.scripts().register(Script.of("return (").returns(ResultType.NOTHING))));
    all.put(
        "ScriptException WRONGTYPE",
        with(
            (server, sheaf) ->
                sheaf.scripts().register(ScriptLibrary.SUM_LLEN).call(List.of("text"))));
    all.put(
        "ScatterException the first with",
        with(
            (server, sheaf) ->
                sheaf
                    .scripts()
                    .register(ScriptLibrary.SUM_LLEN)
                    .scatter(List.of("text"), List.of(), Collectors.summingLong(size -> size))));
  }

  private interface Scenario {
    void run(EmbeddedServer server, Sheaf<String, String> sheaf) throws Throwable;
  }

  private static Provocation with(Scenario scenario) {
    return () -> {
      try (EmbeddedServer server = EmbeddedServer.start();
          Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
        server.data().set("text", "apple");
        scenario.run(server, sheaf);
      }
    };
  }

  /** The last of so many commands for nodes that do not answer whoever connects. */
  private static Provocation whileANodeIsConnected(
      BatchingOptions batching, Duration timeout, int commands) {
    return () -> {
      try (EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start();
          Sheaf<String, String> sheaf =
              Sheaf.builder(cluster.uri()).batching(batching).commandTimeout(timeout).connect()) {
        BulkLane<String, String> lane = sheaf.bulk();
        cluster.faults().pauseReading(true);
        Future<?> last = null;
        for (int i = 0; i < commands; i++) {
          last = lane.async().incr("n");
        }
        try {
          answer(last);
        } finally {
          cluster.faults().pauseReading(false);
        }
      }
    };
  }

  private static Provocation withCompression(Scenario scenario) {
    return () -> {
      try (EmbeddedServer server = EmbeddedServer.start();
          Sheaf<String, String> sheaf =
              Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect()) {
        scenario.run(server, sheaf);
      }
    };
  }

  private static void answer(Future<?> future) throws Exception {
    assertThat(future.get(60, TimeUnit.SECONDS)).isNotNull();
  }

  private static void awaitValue(EmbeddedServer server, String key) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (server.data().get(key).isEmpty() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(server.data().get(key)).isPresent();
  }
}
