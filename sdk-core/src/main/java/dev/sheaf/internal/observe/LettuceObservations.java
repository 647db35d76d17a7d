// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.tracing.DefaultLettuceObservationConvention;
import io.lettuce.core.tracing.LettuceObservationContext;
import io.lettuce.core.tracing.LettuceObservationConvention;
import io.lettuce.core.tracing.MicrometerTracing;
import io.lettuce.core.tracing.TraceContext;
import io.lettuce.core.tracing.TraceContextProvider;
import io.lettuce.core.tracing.Tracer;
import io.lettuce.core.tracing.TracerProvider;
import io.lettuce.core.tracing.Tracing;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The observations that Lettuce's {@link MicrometerTracing} makes of commands, with the tags of a
 * command made once for each node.
 *
 * <p>Lettuce makes them twice for each command, and Micrometer copies them into a map and sorts
 * them again each time it looks. That is nearly half of what an observation costs. Handlers,
 * filters, predicates and meters see the same names, tags and contexts.
 *
 * <p>Thread-safe.
 */
final class LettuceObservations implements Tracing {

  private static final String NAME = "lettuce";
  private static final String ERROR = "lettuce.command.error";
  private static final String CONTEXT =
      MicrometerTracing.class.getName() + "$MicrometerTraceContext";

  private final Tracing lettuces;
  private final ObservationRegistry registry;
  private final String serviceName;
  private final Convention convention;
  private final Method parent;
  private final Tracer tracer = new Observing();

  private LettuceObservations(
      Tracing lettuces,
      ObservationRegistry registry,
      String serviceName,
      LettuceObservationConvention convention,
      Method parent) {
    this.lettuces = lettuces;
    this.registry = registry;
    this.serviceName = serviceName;
    this.convention = new Convention(convention);
    this.parent = parent;
  }

  /**
   * A tracing that observes the same for less, if the given one is Lettuce's for Micrometer and has
   * Lettuce's own tags; else the given one.
   */
  static Tracing insteadOf(Tracing tracing) {
    if (tracing.getClass() != MicrometerTracing.class) {
      return tracing;
    }
    try {
      LettuceObservationConvention convention =
          field(tracing, "observationConvention", LettuceObservationConvention.class);
      if (convention.getClass() != DefaultLettuceObservationConvention.class) {
        // Tags of the application may differ from one command to the next.
        return tracing;
      }
      Method parent =
          Class.forName(CONTEXT, false, MicrometerTracing.class.getClassLoader())
              .getMethod("getObservation");
      parent.setAccessible(true);
      return new LettuceObservations(
          tracing,
          field(tracing, "observationRegistry", ObservationRegistry.class),
          field(tracing, "serviceName", String.class),
          convention,
          parent);
    } catch (ReflectiveOperationException | RuntimeException anotherLettuce) {
      // What it does itself costs more and is as right.
      return tracing;
    }
  }

  private static <T> T field(Tracing tracing, String name, Class<T> type)
      throws ReflectiveOperationException {
    Field field = MicrometerTracing.class.getDeclaredField(name);
    field.setAccessible(true);
    return Objects.requireNonNull(type.cast(field.get(tracing)));
  }

  @Override
  public TracerProvider getTracerProvider() {
    return () -> tracer;
  }

  @Override
  public TraceContextProvider initialTraceContextProvider() {
    return lettuces.initialTraceContextProvider();
  }

  @Override
  public boolean isEnabled() {
    return lettuces.isEnabled();
  }

  @Override
  public boolean includeCommandArgsInSpanTags() {
    return lettuces.includeCommandArgsInSpanTags();
  }

  @Override
  public Endpoint createEndpoint(SocketAddress address) {
    return new Node(lettuces.createEndpoint(address));
  }

  /** The observation that a trace context stands for; null if it stands for none. */
  private @Nullable Observation parent(@Nullable TraceContext context) {
    if (!parent.getDeclaringClass().isInstance(context)) {
      return null;
    }
    try {
      return (Observation) parent.invoke(context);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("A trace context of Lettuce has no observation", e);
    }
  }

  /** What is the same for all commands of one type to one node. */
  private record Known(KeyValues tags, String name) {}

  /** A node, with what is known of the commands to it. */
  private static final class Node implements Endpoint {

    private final Endpoint lettuces;

    /** For Lettuce's own types only, so that there are not more and more of them. */
    private final Map<CommandType, Known> known = new ConcurrentHashMap<>();

    Node(Endpoint lettuces) {
      this.lettuces = lettuces;
    }

    Known of(Context context, LettuceObservationConvention convention) {
      ProtocolKeyword type = context.getRequiredCommand().getType();
      if (!(type instanceof CommandType common)) {
        return made(context, convention);
      }
      Known before = known.get(common);
      return before == null
          ? known.computeIfAbsent(common, first -> made(context, convention))
          : before;
    }

    private static Known made(Context context, LettuceObservationConvention convention) {
      return new Known(
          convention.getLowCardinalityKeyValues(context),
          Objects.requireNonNull(convention.getContextualName(context)));
    }
  }

  private final class Observing extends Tracer {

    @Override
    public Span nextSpan() {
      return new CommandSpan(null);
    }

    @Override
    public Span nextSpan(@Nullable TraceContext context) {
      return new CommandSpan(parent(context));
    }
  }

  /** One command, from its call to its end. */
  private final class CommandSpan extends Tracer.Span implements BiConsumer<Object, Throwable> {

    private final Context context = new Context(serviceName);
    private final @Nullable Observation parent;
    private Observation observation = Observation.NOOP;

    CommandSpan(@Nullable Observation parent) {
      this.parent = parent;
    }

    @Override
    public Tracer.Span start(RedisCommand<?, ?, ?> command) {
      context.setCommand(command);
      Observation begun =
          Observation.createNotStarted(NAME, () -> context, registry)
              .observationConvention(convention);
      observation = parent == null ? begun : begun.parentObservation(parent);
      ((CompleteableCommand<?>) command).onComplete(this);
      observation.start();
      return this;
    }

    /** The command is over, with a value or a failure. */
    @Override
    public void accept(@Nullable Object value, @Nullable Throwable failure) {
      var output = context.getRequiredCommand().getOutput();
      if (output != null && output.getError() != null) {
        observation.highCardinalityKeyValue(ERROR, output.getError());
      } else if (output != null && failure != null) {
        observation.error(failure);
      }
      observation.stop();
    }

    @Override
    public Tracer.Span name(String name) {
      return this;
    }

    @Override
    public Tracer.Span annotate(String annotation) {
      return this;
    }

    @Override
    public Tracer.Span tag(String key, String value) {
      context.addHighCardinalityKeyValue(KeyValue.of(key, value));
      return this;
    }

    @Override
    public Tracer.Span error(Throwable failure) {
      observation.error(failure);
      return this;
    }

    @Override
    public Tracer.Span remoteEndpoint(Endpoint endpoint) {
      context.node = (Node) endpoint;
      context.setEndpoint(context.node.lettuces);
      return this;
    }

    @Override
    public void finish() {
      observation.stop();
    }
  }

  /** Lettuce's names and tags. */
  private record Convention(LettuceObservationConvention lettuces)
      implements LettuceObservationConvention {

    @Override
    public KeyValues getLowCardinalityKeyValues(LettuceObservationContext context) {
      Known known = known(context);
      return known == null ? lettuces.getLowCardinalityKeyValues(context) : known.tags();
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LettuceObservationContext context) {
      return lettuces.getHighCardinalityKeyValues(context);
    }

    @Override
    public @Nullable String getContextualName(LettuceObservationContext context) {
      Known known = known(context);
      return known == null ? lettuces.getContextualName(context) : known.name();
    }

    @Override
    public boolean includeCommandArgsInSpanTags() {
      return lettuces.includeCommandArgsInSpanTags();
    }

    private @Nullable Known known(LettuceObservationContext context) {
      return context instanceof Context own && own.node != null ? own.node.of(own, lettuces) : null;
    }
  }

  /** Lettuce's context. Its tags are those of the convention until others are added or taken. */
  private static final class Context extends LettuceObservationContext {

    private @Nullable Node node;

    /**
     * All tags of low cardinality; null if there are none, or they are where Micrometer has them.
     */
    private volatile @Nullable KeyValues tags;

    /** Whether tags came one by one, or in parts. */
    private boolean mixed;

    Context(String serviceName) {
      super(serviceName);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // Equal ones are as good, but take longer to compare.
    public Observation.Context addLowCardinalityKeyValues(KeyValues added) {
      // A convention is asked once more at the end.
      return tags == added ? this : addOthers(added);
    }

    private synchronized Observation.Context addOthers(KeyValues added) {
      if (tags == null && !mixed) {
        tags = added;
        return this;
      }
      mix();
      return super.addLowCardinalityKeyValues(added);
    }

    @Override
    public synchronized Observation.Context addLowCardinalityKeyValue(KeyValue added) {
      mix();
      return super.addLowCardinalityKeyValue(added);
    }

    @Override
    public synchronized Observation.Context removeLowCardinalityKeyValue(String name) {
      mix();
      return super.removeLowCardinalityKeyValue(name);
    }

    private void mix() {
      mixed = true;
      KeyValues before = tags;
      if (before != null) {
        before.forEach(super::addLowCardinalityKeyValue);
        tags = null;
      }
    }

    @Override
    public KeyValues getLowCardinalityKeyValues() {
      KeyValues all = tags;
      return all == null ? super.getLowCardinalityKeyValues() : all;
    }

    @Override
    public @Nullable KeyValue getLowCardinalityKeyValue(String name) {
      KeyValues all = tags;
      return all == null
          ? super.getLowCardinalityKeyValue(name)
          : all.stream().filter(tag -> tag.getKey().equals(name)).findFirst().orElse(null);
    }
  }
}
