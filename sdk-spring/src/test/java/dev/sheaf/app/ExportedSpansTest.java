// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The spans that an application exports are the same with the starter, by either of the tracers
 * that Spring Boot offers: names, parents and tags.
 */
class ExportedSpansTest {

  /** A span as the tracer exports it. */
  private record Exported(String id, @Nullable String parent, String name, String tags) {}

  /** A tracer, and what it has exported. */
  private record Bridge(
      String name,
      Tracer tracer,
      Propagator propagator,
      Supplier<List<Exported>> exported,
      Runnable end)
      implements AutoCloseable {

    @Override
    public void close() {
      end.run();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Supplier<Bridge>> bridges() {
    return Stream.of(ExportedSpansTest::openTelemetry, ExportedSpansTest::brave);
  }

  @ParameterizedTest
  @MethodSource("bridges")
  void spans_areThoseOfThePlainApplication(Supplier<Bridge> bridge) throws Exception {
    Map<String, Integer> plain = exported(bridge, "--sheaf.enabled=false");
    Map<String, Integer> sheaf = exported(bridge, "--sheaf.enabled=true");
    assertThat(plain.keySet()).anyMatch(span -> span.startsWith("get < request "));
    assertThat(sheaf).containsExactlyInAnyOrderEntriesOf(plain);
  }

  @ParameterizedTest
  @MethodSource("bridges")
  void spanOfABatch_isAChildOfARequest(Supplier<Bridge> bridge) throws Exception {
    assertThat(exported(bridge, "--sheaf.observe=batches").keySet())
        .anyMatch(span -> span.startsWith("sheaf.batch < request "))
        .noneMatch(span -> span.startsWith("get "));
  }

  private static Map<String, Integer> exported(Supplier<Bridge> bridge, String argument)
      throws Exception {
    try (Bridge tracing = bridge.get();
        EmbeddedServer server = EmbeddedServer.start()) {
      SpringApplication application = new SpringApplication(ShopApplication.class);
      application.addInitializers(
          context ->
              ((GenericApplicationContext) context)
                  .registerBean("spans", ObservationHandler.class, () -> handler(tracing)));
      try (ConfigurableApplicationContext context =
          application.run(
              argument,
              "--spring.data.redis.url=" + server.uri(),
              "--spring.main.web-application-type=none",
              "--spring.main.banner-mode=off")) {
        ObservedApplicationTest.work(
            context.getBean(StringRedisTemplate.class), context.getBean(ObservationRegistry.class));
      }
      return kinds(tracing.exported().get(), server.port());
    }
  }

  private static ObservationHandler<?> handler(Bridge bridge) {
    return new FirstMatchingCompositeObservationHandler(
        new PropagatingSenderTracingObservationHandler<>(bridge.tracer(), bridge.propagator()),
        new DefaultTracingObservationHandler(bridge.tracer()));
  }

  /** How many spans there are of each kind. Connections differ in number, and so do handshakes. */
  private static Map<String, Integer> kinds(List<Exported> spans, int port) {
    Map<String, String> names = new HashMap<>();
    spans.forEach(span -> names.put(span.id(), span.name()));
    Map<String, Integer> kinds = new TreeMap<>();
    for (Exported span : spans) {
      if (!span.name().equals("hello") && !span.name().equals("client")) {
        String parent = span.parent() == null ? "nothing" : names.get(span.parent());
        kinds.merge(
            span.name() + " < " + parent + " " + span.tags().replace("" + port, "PORT"),
            1,
            Integer::sum);
      }
    }
    return kinds;
  }

  private static Bridge openTelemetry() {
    InMemorySpanExporter exporter = InMemorySpanExporter.create();
    SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build();
    io.opentelemetry.api.trace.Tracer tracer = provider.get("test");
    return new Bridge(
        "OpenTelemetry",
        new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {}),
        new OtelPropagator(ContextPropagators.noop(), tracer),
        () -> exporter.getFinishedSpanItems().stream().map(ExportedSpansTest::exported).toList(),
        provider::close);
  }

  private static Exported exported(SpanData span) {
    Map<String, String> tags = new TreeMap<>();
    span.getAttributes().forEach((key, value) -> tags.put(key.getKey(), value.toString()));
    return new Exported(
        span.getSpanId(),
        span.getParentSpanContext().isValid() ? span.getParentSpanId() : null,
        span.getName(),
        span.getKind() + " " + span.getStatus().getStatusCode() + " " + tags);
  }

  private static Bridge brave() {
    Queue<Exported> spans = new ConcurrentLinkedQueue<>();
    brave.Tracing tracing =
        brave.Tracing.newBuilder()
            .addSpanHandler(
                new brave.handler.SpanHandler() {
                  @Override
                  public boolean end(
                      brave.propagation.TraceContext context,
                      brave.handler.MutableSpan span,
                      Cause cause) {
                    spans.add(exported(span));
                    return true;
                  }
                })
            .build();
    return new Bridge(
        "Brave",
        new BraveTracer(
            tracing.tracer(), new BraveCurrentTraceContext(tracing.currentTraceContext())),
        new BravePropagator(tracing),
        () -> List.copyOf(spans),
        tracing::close);
  }

  private static Exported exported(brave.handler.MutableSpan span) {
    return new Exported(
        span.id(),
        span.parentId(),
        span.name(),
        span.kind()
            + " "
            + (span.error() == null ? "" : span.error().getClass().getSimpleName())
            + " "
            + new TreeMap<>(span.tags())
            + " "
            + span.remoteServiceName());
  }
}
