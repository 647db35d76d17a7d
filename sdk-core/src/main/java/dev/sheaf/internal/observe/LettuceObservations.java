// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
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
 * Lettuce's {@link MicrometerTracing} with tags that are created once per command type and node.
 *
 * <p>Lettuce creates the tags twice for each command, and Micrometer copies and sorts them each
 * time they are read. That is nearly half of the cost of an observation. Handlers, filters,
 * predicates and meters see the same names, tags and contexts.
 *
 * <p>Thread-safe.
 */
final class LettuceObservations implements Tracing {

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
   * Returns the cheaper equivalent if the given tracing is Lettuce's for Micrometer with Lettuce's
   * own tags; else the given tracing.
   */
  static Tracing insteadOf(Tracing tracing) {
    if (tracing.getClass() != MicrometerTracing.class) {
      return tracing;
    }
    try {
      LettuceObservationConvention convention =
          field(tracing, "observationConvention", LettuceObservationConvention.class);
      if (convention.getClass() != DefaultLettuceObservationConvention.class) {
        // Tags of the application may differ between commands.
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
      // The given tracing costs more and is just as right.
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

  /** The observation behind a trace context, or null. */
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

  /** A node with the kinds of its commands. */
  private static final class Node implements Endpoint {

    private final Endpoint lettuces;

    /** Kinds of Lettuce's own command types only, so that their number is bounded. */
    private final Map<CommandType, CommandKind> kinds = new ConcurrentHashMap<>();

    Node(Endpoint lettuces) {
      this.lettuces = lettuces;
    }

    CommandKind kind(CommandContext context, LettuceObservationConvention convention) {
      if (!(context.getRequiredCommand().getType() instanceof CommandType type)) {
        return made(context, convention);
      }
      CommandKind known = kinds.get(type);
      return known == null
          ? kinds.computeIfAbsent(type, first -> made(context, convention))
          : known;
    }

    private static CommandKind made(
        CommandContext context, LettuceObservationConvention convention) {
      return new CommandKind(
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

  /** The span of one command, from its call to its end. */
  private final class CommandSpan extends Tracer.Span implements BiConsumer<Object, Throwable> {

    private final CommandContext context = new CommandContext(serviceName);
    private final @Nullable Observation parent;
    private @Nullable Node node;
    private Observation observation = Observation.NOOP;

    CommandSpan(@Nullable Observation parent) {
      this.parent = parent;
    }

    @Override
    public Tracer.Span remoteEndpoint(Endpoint endpoint) {
      node = (Node) endpoint;
      context.setEndpoint(node.lettuces);
      return this;
    }

    @Override
    public Tracer.Span start(RedisCommand<?, ?, ?> command) {
      context.setCommand(command);
      context.setKind(Objects.requireNonNull(node).kind(context, convention.lettuces()));
      Observation begun =
          Observation.createNotStarted(CommandContext.NAME, () -> context, registry)
              .observationConvention(convention);
      observation = parent == null ? begun : begun.parentObservation(parent);
      ((CompleteableCommand<?>) command).onComplete(this);
      observation.start();
      return this;
    }

    /** Called when the command completes, with a value or an error. */
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
    public void finish() {
      observation.stop();
    }
  }

  /** Lettuce's naming convention; tags that never change are cached with the kind. */
  private record Convention(LettuceObservationConvention lettuces)
      implements LettuceObservationConvention {

    @Override
    public KeyValues getLowCardinalityKeyValues(LettuceObservationContext context) {
      return ((CommandContext) context).kind().tags();
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LettuceObservationContext context) {
      return lettuces.getHighCardinalityKeyValues(context);
    }

    @Override
    public String getContextualName(LettuceObservationContext context) {
      return ((CommandContext) context).kind().contextualName();
    }

    @Override
    public boolean includeCommandArgsInSpanTags() {
      return lettuces.includeCommandArgsInSpanTags();
    }
  }
}
