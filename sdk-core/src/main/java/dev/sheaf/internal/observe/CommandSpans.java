// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import dev.sheaf.Observe;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TracedCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.TraceContextProvider;
import io.lettuce.core.tracing.Tracer;
import io.lettuce.core.tracing.Tracing;
import java.net.SocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spans of the commands that the application calls, begun as Lettuce begins them, whatever the
 * commands travel in.
 *
 * <p>A span begins on the thread that calls: the threads that write for others have trace contexts
 * of their own, of which a command without one must not become a child. Lettuce ends it when the
 * command completes.
 *
 * <p>Thread-safe.
 */
public final class CommandSpans {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf");

  private final Tracing tracing;
  private final int oneOf;
  private final AtomicBoolean warned = new AtomicBoolean();

  private CommandSpans(Tracing tracing, int oneOf) {
    this.tracing = tracing;
    this.oneOf = oneOf;
  }

  /** By the tracing of a client; null if its commands have no spans. */
  public static @Nullable CommandSpans of(Supplier<ClientResources> resources, Observe observe) {
    if (!observe.isOfCommands()) {
      return null;
    }
    Tracing tracing = resources.get().tracing();
    return tracing.isEnabled()
        ? new CommandSpans(LettuceObservations.insteadOf(tracing), observe.oneOf())
        : null;
  }

  /** The node that spans name. */
  public Tracing.Endpoint endpoint(SocketAddress node) {
    return tracing.createEndpoint(node);
  }

  /** Begins the span of a command, before its request is encoded. */
  public void begin(RedisCommand<?, ?, ?> command, Tracing.Endpoint node) {
    start(command, node);
  }

  /** Begins the span of a command whose request has been encoded. */
  public void beginEncoded(RedisCommand<?, ?, ?> command, Tracing.Endpoint node) {
    Tracer.Span span = start(command, node);
    if (span != null) {
      // What a TracedCommand notes when it is encoded.
      span.annotate("redis.encode.start");
      span.annotate("redis.encode.end");
    }
  }

  private Tracer.@Nullable Span start(RedisCommand<?, ?, ?> command, Tracing.Endpoint node) {
    if (!(command instanceof CompleteableCommand) || command.isDone() || !isSampled()) {
      return null;
    }
    try {
      return startSampled(command, node);
    } catch (RuntimeException e) {
      // The command is not to fail for it.
      if (warned.compareAndSet(false, true)) {
        LOG.warn("Tracing failed to begin a span, the commands go on without", e);
      }
      return null;
    }
  }

  private boolean isSampled() {
    return oneOf == 1 || ThreadLocalRandom.current().nextInt(oneOf) == 0;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // Lettuce finds wrapped commands by their class.
  private Tracer.@Nullable Span startSampled(RedisCommand<?, ?, ?> command, Tracing.Endpoint node) {
    TracedCommand<?, ?, ?> traced =
        (TracedCommand<?, ?, ?>) CommandWrapper.unwrap((RedisCommand) command, TracedCommand.class);
    TraceContextProvider provider = traced == null ? tracing.initialTraceContextProvider() : traced;
    if (provider == null) {
      return null;
    }
    Tracer.Span span = tracing.getTracerProvider().getTracer().nextSpan(provider.getTraceContext());
    span.name(command.getType().toString());
    span.remoteEndpoint(node);
    span.start(command);
    if (traced != null) {
      traced.setSpan(span);
    }
    return span;
  }
}
