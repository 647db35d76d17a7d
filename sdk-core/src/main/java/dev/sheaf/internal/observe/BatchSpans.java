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
 * <p>A batch has many callers, and Lettuce's tracing has no links. So the parent of its span is the
 * span in which its first command was called, if any.
 *
 * <p>Thread-safe.
 */
public final class BatchSpans {

  private static final ProtocolKeyword NAME = new Name();

  private final Tracing tracing;

  private BatchSpans(Tracing tracing) {
    this.tracing = tracing;
  }

  /** Creates the spans of a client; null if its batches are not traced. */
  public static @Nullable BatchSpans of(Supplier<ClientResources> resources, Observe observe) {
    if (!observe.isOfBatches()) {
      return null;
    }
    Tracing tracing = resources.get().tracing();
    return tracing.isEnabled() ? new BatchSpans(tracing) : null;
  }

  /** The endpoint of the node, as named in spans. */
  public Tracing.Endpoint endpoint(SocketAddress node) {
    return tracing.createEndpoint(node);
  }

  /**
   * The content of a batch.
   *
   * @param commands how many commands of callers
   * @param fused how many of them were fused
   * @param queuedNanos how long the first of them has waited; 0 if unknown
   */
  public record Contents(int commands, int fused, long bytes, long queuedNanos) {}

  /**
   * Starts a span.
   *
   * @param batch completes when the batch is over
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

  /** A stand-in command for a batch, as Lettuce's spans need a command. Never sent. */
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
