// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import dev.sheaf.Observe;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.TraceContextProvider;
import io.lettuce.core.tracing.Tracer;
import io.lettuce.core.tracing.Tracing;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The spans of batches: one for each write to a node, from the write to the last reply.
 *
 * <p>A batch has many callers, and Lettuce's tracing has no links. So its span is a child of the
 * span in which its first command was called, if there is one.
 *
 * <p>Thread-safe.
 */
public final class BatchSpans {

  private static final ProtocolKeyword NAME = new Name();

  private final Tracing tracing;

  private BatchSpans(Tracing tracing) {
    this.tracing = tracing;
  }

  /** By the tracing of a client; null if its batches have no spans. */
  public static @Nullable BatchSpans of(Supplier<ClientResources> resources, Observe observe) {
    if (!observe.isOfBatches()) {
      return null;
    }
    Tracing tracing = resources.get().tracing();
    return tracing.isEnabled() ? new BatchSpans(tracing) : null;
  }

  /** The node that spans name. */
  public Tracing.Endpoint endpoint(SocketAddress node) {
    return tracing.createEndpoint(node);
  }

  /**
   * What a batch is made of.
   *
   * @param commands callers' commands
   * @param fused those of them that travel as part of another
   * @param queuedNanos how long the first of them has waited; 0 if that is not known
   */
  public record Contents(int commands, int fused, long bytes, long queuedNanos) {}

  /**
   * Begins a span.
   *
   * @param batch tells when it is over
   * @param first the first command of a caller
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // Lettuce finds wrapped commands by their class.
  public void begin(
      CompleteableCommand<?> batch,
      RedisCommand<?, ?, ?> first,
      Tracing.Endpoint node,
      Contents contents) {
    TraceContextProvider provider =
        CommandWrapper.unwrap((RedisCommand) first, TraceContextProvider.class);
    Tracer tracer = tracing.getTracerProvider().getTracer();
    Tracer.Span span =
        provider == null ? tracer.nextSpan() : tracer.nextSpan(provider.getTraceContext());
    span.name(NAME.toString());
    span.remoteEndpoint(node);
    span.tag("db.operation.batch.size", Integer.toString(contents.commands()));
    span.tag("sheaf.batch.fused", Integer.toString(contents.fused()));
    span.tag("sheaf.batch.bytes", Long.toString(contents.bytes()));
    if (contents.queuedNanos() > 0) {
      span.tag(
          "sheaf.batch.queue_us",
          Long.toString(TimeUnit.NANOSECONDS.toMicros(contents.queuedNanos())));
    }
    span.start(new Batch(batch));
  }

  private static final class Name implements ProtocolKeyword {

    @Override
    public byte[] getBytes() {
      return toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
      return "sheaf.batch";
    }
  }

  /** A batch as a command, which is what Lettuce's spans know. It is never sent. */
  private static final class Batch extends Command<String, String, String>
      implements CompleteableCommand<String> {

    private final CompleteableCommand<?> batch;

    Batch(CompleteableCommand<?> batch) {
      super(NAME, new StatusOutput<>(StringCodec.ASCII));
      this.batch = batch;
    }

    @Override
    public void onComplete(Consumer<? super String> action) {
      onComplete((value, failure) -> action.accept(value));
    }

    @Override
    @SuppressWarnings("NullAway") // There is no value.
    public void onComplete(BiConsumer<? super String, Throwable> action) {
      batch.onComplete((Object value, Throwable failure) -> action.accept(null, failure));
    }
  }
}
