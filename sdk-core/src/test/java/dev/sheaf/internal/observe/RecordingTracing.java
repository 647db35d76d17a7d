// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.tracing.TraceContext;
import io.lettuce.core.tracing.TraceContextProvider;
import io.lettuce.core.tracing.Tracer;
import io.lettuce.core.tracing.TracerProvider;
import io.lettuce.core.tracing.Tracing;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A tracing that remembers every span, and the trace context of a thread in a thread local. */
final class RecordingTracing implements Tracing {

  private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

  private record Node(String address) implements Endpoint {}

  private record Context(String name) implements TraceContext {}

  private final Queue<Recorded> spans = new ConcurrentLinkedQueue<>();

  /** Runs as a part of a trace. */
  static void in(@Nullable String context, Runnable body) {
    String before = CURRENT.get();
    CURRENT.set(context);
    try {
      body.run();
    } finally {
      CURRENT.set(before);
    }
  }

  /** All spans that were begun. */
  List<Recorded> spans() {
    return List.copyOf(spans);
  }

  /** The spans that were begun and not ended. */
  List<Recorded> open() {
    return spans.stream().filter(span -> span.ends.get() == 0).toList();
  }

  /** How many spans there are of each kind: by name, parent, node, tags and error. */
  Map<String, Integer> kinds() {
    Map<String, Integer> kinds = new TreeMap<>();
    spans.forEach(span -> kinds.merge(span.toString(), 1, Integer::sum));
    return kinds;
  }

  @Override
  public TracerProvider getTracerProvider() {
    return () ->
        new Tracer() {
          @Override
          public Span nextSpan() {
            return nextSpan(null);
          }

          @Override
          public Span nextSpan(@Nullable TraceContext context) {
            // As with real tracers, a thread's own context is the parent of what has none.
            String parent = context == null ? CURRENT.get() : ((Context) context).name();
            return new Recorded(parent);
          }
        };
  }

  @Override
  @SuppressWarnings("NullAway") // As Micrometer's, it has no context outside a trace.
  public TraceContextProvider initialTraceContextProvider() {
    return () -> {
      String current = CURRENT.get();
      return current == null ? null : new Context(current);
    };
  }

  @Override
  public boolean isEnabled() {
    return true;
  }

  @Override
  public boolean includeCommandArgsInSpanTags() {
    return true;
  }

  @Override
  public Endpoint createEndpoint(SocketAddress socketAddress) {
    return new Node(socketAddress.toString());
  }

  /** One span. */
  final class Recorded extends Tracer.Span {

    private final @Nullable String parent;
    private final Map<String, String> tags = new ConcurrentSkipListMap<>();
    private final List<String> notes = new CopyOnWriteArrayList<>();
    private final AtomicInteger ends = new AtomicInteger();
    private volatile String name = "";
    private volatile String node = "";

    Recorded(@Nullable String parent) {
      this.parent = parent;
    }

    String name() {
      return name;
    }

    @Nullable String parent() {
      return parent;
    }

    Map<String, String> tags() {
      return tags;
    }

    int ends() {
      return ends.get();
    }

    @Override
    public Tracer.Span start(RedisCommand<?, ?, ?> command) {
      if (command.getArgs() != null) {
        tags.put("args", command.getArgs().toCommandString());
      }
      ((CompleteableCommand<?>) command)
          .onComplete(
              (value, failure) -> {
                if (command.getOutput() != null) {
                  String error = command.getOutput().getError();
                  if (error != null) {
                    tags.put("error", error);
                  } else if (failure != null) {
                    error(failure);
                  }
                }
                finish();
              });
      spans.add(this);
      return this;
    }

    @Override
    public Tracer.Span name(String newName) {
      name = newName;
      return this;
    }

    @Override
    public Tracer.Span annotate(String value) {
      notes.add(value);
      return this;
    }

    @Override
    public Tracer.Span tag(String key, String value) {
      tags.put(key, value);
      return this;
    }

    @Override
    public Tracer.Span error(Throwable failure) {
      tags.put("exception", failure.getClass().getSimpleName());
      return this;
    }

    @Override
    public Tracer.Span remoteEndpoint(Endpoint endpoint) {
      node = ((Node) endpoint).address();
      return this;
    }

    @Override
    public void finish() {
      ends.incrementAndGet();
    }

    @Override
    public String toString() {
      return name + " of " + parent + " at " + node + " " + tags + " " + notes + " ends=" + ends;
    }
  }
}
