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
 * The spans of the commands that the application calls, started like Lettuce's own, however the
 * commands are sent.
 *
 * <p>A span starts on the calling thread. Threads that write for others have trace contexts of
 * their own, which must not become parents of a command without a context. Lettuce ends the span
 * when the command completes.
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

  /** Creates the spans of a client; null if its commands are not traced. */
  public static @Nullable CommandSpans of(Supplier<ClientResources> resources, Observe observe) {
    if (!observe.isOfCommands()) {
      return null;
    }
    Tracing tracing = resources.get().tracing();
    return tracing.isEnabled()
        ? new CommandSpans(LettuceObservations.insteadOf(tracing), observe.oneOf())
        : null;
  }

  /** The endpoint of the node, as named in spans. */
  public Tracing.Endpoint endpoint(SocketAddress node) {
    return tracing.createEndpoint(node);
  }

  /** Starts the span of a command, before its request is encoded. */
  public void begin(RedisCommand<?, ?, ?> command, Tracing.Endpoint node) {
    start(command, node);
  }

  /** Starts the span of a command that is already encoded. */
  public void beginEncoded(RedisCommand<?, ?, ?> command, Tracing.Endpoint node) {
    Tracer.Span span = start(command, node);
    if (span != null) {
      // A TracedCommand records this when it is encoded.
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
      // Tracing must not fail the command.
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
