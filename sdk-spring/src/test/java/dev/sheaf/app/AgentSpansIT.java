// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The spans that OpenTelemetry's Java agent exports of a program are the same with Sheaf: names,
 * parents and attributes. The agent sets its tracing on the resources of every client.
 */
class AgentSpansIT {

  private static final Path AGENT = Path.of("target", "agent", "opentelemetry-javaagent.jar");
  private static final int THREADS = 8;
  private static final int KEYS = 50;

  @TempDir private Path directory;

  @Test
  void spans_areThoseOfThePlainProgram() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      Map<String, Integer> plain = exported("plain", server.uri());
      Map<String, Integer> sheaf = exported("sheaf", server.uri());
      assertThat(plain.keySet()).anyMatch(span -> span.startsWith("GET < request "));
      assertThat(sheaf).containsExactlyInAnyOrderEntriesOf(plain);
    }
  }

  /** Runs the program in a JVM of its own, and reads what the agent has printed. */
  private Map<String, Integer> exported(String client, String uri) throws Exception {
    Path printed = directory.resolve(client);
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-javaagent:" + AGENT,
                "-Dotel.traces.exporter=experimental-otlp/stdout",
                "-Dotel.metrics.exporter=none",
                "-Dotel.logs.exporter=none",
                "-Dotel.javaagent.add-thread-details=false",
                "-Dio.lettuce.core.epoll=false",
                "-classpath",
                System.getProperty("java.class.path"),
                AgentSpansIT.class.getName(),
                client,
                uri)
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(program.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      program.destroyForcibly();
    }
    assertThat(program.exitValue()).as(Files.readString(printed)).isZero();
    return kinds(spans(Files.readAllLines(printed)));
  }

  private static List<JsonNode> spans(List<String> lines) {
    JsonMapper json = new JsonMapper();
    List<JsonNode> spans = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("{\"resource")) {
        JsonNode tree = json.readTree(line);
        JsonNode ofResources = tree.has("resourceSpans") ? tree.get("resourceSpans") : null;
        for (JsonNode resource : ofResources == null ? List.of(tree) : ofResources) {
          for (JsonNode scope : resource.path("scopeSpans")) {
            scope.path("spans").forEach(spans::add);
          }
        }
      }
    }
    return spans;
  }

  /** How many spans there are of each kind. Connections differ in number, and so do handshakes. */
  private static Map<String, Integer> kinds(List<JsonNode> spans) {
    Map<String, String> names = new HashMap<>();
    spans.forEach(span -> names.put(span.path("spanId").asString(), span.path("name").asString()));
    Map<String, Integer> kinds = new TreeMap<>();
    for (JsonNode span : spans) {
      String name = span.path("name").asString();
      if (!name.equals("HELLO") && !name.equals("CLIENT")) {
        Map<String, String> attributes = new TreeMap<>();
        for (JsonNode attribute : span.path("attributes")) {
          attributes.put(attribute.path("key").asString(), attribute.path("value").toString());
        }
        String parent = names.get(span.path("parentSpanId").asString(""));
        kinds.merge(name + " < " + parent + " " + attributes, 1, Integer::sum);
      }
    }
    return kinds;
  }

  /** The program: GETs of several threads at once, each in a span of its own, and a few others. */
  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("plain")) {
      RedisClient client = RedisClient.create(arguments[1]);
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        work(connection);
      } finally {
        client.shutdown();
      }
    } else {
      try (Sheaf<String, String> sheaf = Sheaf.connect(arguments[1])) {
        work(sheaf.standalone());
      }
    }
  }

  private static void work(StatefulRedisConnection<String, String> connection) throws Exception {
    Tracer tracer = GlobalOpenTelemetry.getTracer("program");
    RedisCommands<String, String> redis = connection.sync();
    for (int i = 0; i < KEYS; i++) {
      redis.set("key:" + i, "value:" + i);
    }
    redis.hset("hash", "field", "value");
    catchThrowable(() -> redis.get("hash"));
    List<RedisFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      futures.add(connection.async().get("key:" + i));
    }
    LettuceFutures.awaitAll(Duration.ofSeconds(30), futures.toArray(RedisFuture[]::new));
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      threads.add(
          new Thread(
              () -> {
                Span request = tracer.spanBuilder("request").startSpan();
                Context.current().with(request).wrap(() -> getAll(redis)).run();
                request.end();
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void getAll(RedisCommands<String, String> redis) {
    for (int i = 0; i < KEYS; i++) {
      redis.get("key:" + i);
    }
  }
}
