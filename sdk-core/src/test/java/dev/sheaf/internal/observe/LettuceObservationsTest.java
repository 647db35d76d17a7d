// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.TracedCommand;
import io.lettuce.core.tracing.LettuceObservationContext;
import io.lettuce.core.tracing.LettuceObservationConvention;
import io.lettuce.core.tracing.MicrometerTracing;
import io.lettuce.core.tracing.Tracing;
import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Observations with tags made once are those that Lettuce makes. */
class LettuceObservationsTest {

  private static final SocketAddress NODE = new InetSocketAddress("127.0.0.1", 6379);

  /** What handlers are shown, and the meters at the end. */
  private static final class Seen {

    private final List<String> all = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ObservationRegistry registry = ObservationRegistry.create();

    Seen(Consumer<ObservationRegistry.ObservationConfig> setUp, boolean kept) {
      setUp.accept(registry.observationConfig());
      MeterObservationHandler<Observation.Context> usual =
          new DefaultMeterObservationHandler(meters);
      registry
          .observationConfig()
          .observationHandler(
              kept
                  ? new FirstMatchingCompositeObservationHandler(new CommandMeters(meters), usual)
                  : usual)
          .observationHandler(new Noting(all));
    }

    List<String> all() {
      List<String> seen = new ArrayList<>(all);
      meters.getMeters().stream()
          .map(Meter::getId)
          .map(Object::toString)
          .sorted()
          .forEach(seen::add);
      meters
          .find("lettuce")
          .timers()
          .forEach(timer -> seen.add("timed " + timer.getId().getTags() + timer.count()));
      meters
          .find("lettuce.active")
          .longTaskTimers()
          .forEach(timer -> seen.add("under way " + timer.activeTasks()));
      return seen;
    }
  }

  private record Noting(List<String> all) implements ObservationHandler<Observation.Context> {

    @Override
    public void onStart(Observation.Context context) {
      note("start", context);
      context.put("note", "note");
    }

    @Override
    public void onError(Observation.Context context) {
      note("error", context);
    }

    @Override
    public void onStop(Observation.Context context) {
      note("stop", context);
    }

    private void note(String event, Observation.Context context) {
      String node =
          context instanceof LettuceObservationContext redis
              ? redis.getRequiredEndpoint()
                  + " "
                  + redis.getRemoteServiceName()
                  + " "
                  + redis.getKind()
              : "";
      all.add(
          String.join(
              " ",
              event,
              context.getName(),
              context.getContextualName(),
              String.valueOf(context.getLowCardinalityKeyValues().stream().toList()),
              String.valueOf(context.getLowCardinalityKeyValue("db.operation")),
              String.valueOf(context.getLowCardinalityKeyValue("none")),
              String.valueOf(context.getAllKeyValues().stream().toList()),
              String.valueOf(context.getError()),
              String.valueOf(
                  context.getParentObservation() == null
                      ? null
                      : context.getParentObservation().getContextView().getName()),
              node));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  private static void assertSame(
      Consumer<ObservationRegistry.ObservationConfig> setUp,
      Function<ObservationRegistry, Tracing> tracing) {
    assertSame(setUp, tracing, meters -> {});
  }

  private static void assertSame(
      Consumer<ObservationRegistry.ObservationConfig> setUp,
      Function<ObservationRegistry, Tracing> tracing,
      Consumer<SimpleMeterRegistry> meanwhile) {
    List<String> lettuces = run(new Seen(setUp, false), tracing, meanwhile);
    assertThat(lettuces).anyMatch(seen -> seen.startsWith("stop lettuce get "));
    Function<ObservationRegistry, Tracing> instead =
        tracing.andThen(LettuceObservations::insteadOf);
    assertThat(run(new Seen(setUp, false), instead, meanwhile)).isEqualTo(lettuces);
    assertThat(run(new Seen(setUp, true), instead, meanwhile)).isEqualTo(lettuces);
  }

  private static List<String> run(
      Seen seen,
      Function<ObservationRegistry, Tracing> tracings,
      Consumer<SimpleMeterRegistry> meanwhile) {
    Tracing tracing = tracings.apply(seen.registry);
    assertThat(tracing.isEnabled()).isTrue();
    Tracing.Endpoint node = tracing.createEndpoint(NODE);
    for (int i = 0; i < 4; i++) {
      if (i == 2) {
        meanwhile.accept(seen.meters);
      }
      end(tracing, node, CommandType.GET, command -> command.complete());
      end(tracing, node, new Own(), command -> command.complete());
      end(tracing, node, CommandType.SET, command -> command.cancel());
      end(
          tracing,
          node,
          CommandType.INCR,
          command -> command.completeExceptionally(new IllegalStateException("lost")));
      end(
          tracing,
          node,
          CommandType.HGET,
          command -> {
            command
                .getOutput()
                .setError(ByteBuffer.wrap("ERR wrong".getBytes(StandardCharsets.US_ASCII)));
            command.complete();
          });
      Observation.createNotStarted("request", seen.registry)
          .observe(() -> end(tracing, node, CommandType.GET, command -> command.complete()));
    }
    tracing
        .getTracerProvider()
        .getTracer()
        .nextSpan()
        .name("n")
        .annotate("a")
        .remoteEndpoint(node)
        .tag("own", "tag")
        .start(get(CommandType.DEL))
        .error(new IllegalStateException("e"))
        .finish();
    return seen.all();
  }

  private static void end(
      Tracing tracing,
      Tracing.Endpoint node,
      ProtocolKeyword type,
      Consumer<TracedCommand<String, String, String>> end) {
    TracedCommand<String, String, String> command = get(type);
    tracing
        .getTracerProvider()
        .getTracer()
        .nextSpan(tracing.initialTraceContextProvider().getTraceContext())
        .remoteEndpoint(node)
        .start(command);
    end.accept(command);
  }

  private static TracedCommand<String, String, String> get(ProtocolKeyword type) {
    return new TracedCommand<>(
        new AsyncCommand<>(
            new Command<>(
                type,
                new ValueOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8).addKey("key"))),
        null);
  }

  /** A command that Lettuce does not know. */
  private static final class Own implements ProtocolKeyword {

    @Override
    public byte[] getBytes() {
      return toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
      return "OWN";
    }
  }

  private static Tracing usual(ObservationRegistry registry) {
    return new MicrometerTracing(registry, "Redis");
  }

  @Test
  void observations_areAsLettuceMakesThem() {
    assertSame(config -> {}, LettuceObservationsTest::usual);
    assertThat(LettuceObservations.insteadOf(usual(ObservationRegistry.create())))
        .isInstanceOf(LettuceObservations.class);
  }

  @Test
  void arguments_areTagsIfLettuceWasToldSo() {
    assertSame(config -> {}, registry -> new MicrometerTracing(registry, "Redis", true));
  }

  @Test
  void tagsThatFiltersAdd_areAdded_andThoseTheyTake_areGone() {
    assertSame(
        config ->
            config.observationFilter(
                context ->
                    context
                        .addLowCardinalityKeyValue(KeyValue.of("shop", "north"))
                        .addLowCardinalityKeyValue(KeyValue.of("db.system", "valkey"))
                        .removeLowCardinalityKeyValue("net.transport")),
        LettuceObservationsTest::usual);
  }

  @Test
  void tagsThatHandlersAdd_arePartOfTheMeters() {
    assertSame(
        config ->
            config.observationHandler(
                new ObservationHandler<>() {
                  @Override
                  public void onStart(Observation.Context context) {
                    context.removeLowCardinalityKeyValues("db.system", "none");
                    context.addLowCardinalityKeyValue(KeyValue.of("shop", "north"));
                  }

                  @Override
                  public boolean supportsContext(Observation.Context context) {
                    return context instanceof LettuceObservationContext;
                  }
                }),
        LettuceObservationsTest::usual);
  }

  @Test
  void metersThatAreRemoved_areMadeAnew() {
    assertSame(config -> {}, LettuceObservationsTest::usual, MeterRegistry::clear);
  }

  @Test
  void tagsThatTheRegistryGetsLater_areThoseOfOtherMetersFromThenOn() {
    assertSame(
        config -> {},
        LettuceObservationsTest::usual,
        meters -> {
          meters.config().commonTags("shop", "north");
          meters.counter("other");
        });
  }

  @Test
  void predicates_seeTheCommand() {
    assertSame(
        config ->
            config.observationPredicate(
                (name, context) ->
                    !(context instanceof LettuceObservationContext redis)
                        || redis.getRequiredCommand().getType() != CommandType.SET),
        LettuceObservationsTest::usual);
  }

  @Test
  void tracingWithTagsOfItsOwn_staysAsItIs() {
    LettuceObservationConvention own =
        new LettuceObservationConvention() {
          @Override
          public boolean includeCommandArgsInSpanTags() {
            return false;
          }
        };
    Tracing tracing = new MicrometerTracing(ObservationRegistry.create(), "Redis", own);
    assertThat(LettuceObservations.insteadOf(tracing)).isSameAs(tracing);
    assertThat(LettuceObservations.insteadOf(Tracing.disabled())).isSameAs(Tracing.disabled());
  }
}
