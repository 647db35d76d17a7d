// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.observe.NodeSpans;
import dev.sheaf.internal.pipeline.NodePipeline;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A read of many keys: one GET for each, sent together, with one future for all. The GETs are plain
 * commands without futures of their own.
 */
public final class MultiGet<K, V> extends Outcomes<MultiGet<K, V>> implements KeyReads<V> {

  private final ReadRouter<K, V> router;

  /**
   * For each distinct key its {@link GetRead}, replaced with the {@link Result} in the end; null if
   * results are only read by index.
   */
  private final @Nullable Map<K, Object> outcomes;

  private final List<GetRead> reads;

  private final boolean fusible;

  private MultiGet(ReadRouter<K, V> router, int keys, boolean byKey, boolean fusible) {
    this.router = router;
    this.fusible = fusible;
    this.outcomes = byKey ? new LinkedHashMap<>(keys * 4 / 3 + 1) : null;
    this.reads = new ArrayList<>(keys);
  }

  /**
   * Sends a read for each distinct key.
   *
   * @throws NullPointerException if a key is null; nothing is sent then
   */
  public static <K, V> MultiGet<K, V> send(ReadRouter<K, V> router, Collection<? extends K> keys) {
    MultiGet<K, V> bulk = prepare(router, keys, true, true);
    WriteScope.run(bulk::dispatchAll);
    return bulk;
  }

  /**
   * Sends a read for each distinct key, waiting for room in the queues at most the given time.
   *
   * @throws NullPointerException if a key is null; nothing is sent then
   */
  public static <K, V> MultiGet<K, V> sendBlocking(
      ReadRouter<K, V> router, Collection<? extends K> keys, Duration timeout) {
    MultiGet<K, V> bulk = prepare(router, keys, true, true);
    WriteScope.runBlocking(bulk::dispatchAll, timeout);
    return bulk;
  }

  /** As {@link #sendBlocking}, but without fusing the reads, so that each has its own reply. */
  static <K, V> MultiGet<K, V> sendEach(
      ReadRouter<K, V> router, Collection<? extends K> keys, Duration timeout) {
    MultiGet<K, V> bulk = prepare(router, keys, true, false);
    WriteScope.runBlocking(bulk::dispatchAll, timeout);
    return bulk;
  }

  /**
   * Encodes a read for each key, including repeated ones, so that each has its own value. A key
   * that cannot be encoded fails at once.
   *
   * @throws NullPointerException if a key is null
   */
  public static <K, V> MultiGet<K, V> ofEach(ReadRouter<K, V> router, List<? extends K> keys) {
    return prepare(router, keys, false, true);
  }

  private static <K, V> MultiGet<K, V> prepare(
      ReadRouter<K, V> router, Collection<? extends K> keys, boolean byKey, boolean fusible) {
    MultiGet<K, V> bulk = new MultiGet<>(router, keys.size(), byKey, fusible);
    int index = 0;
    for (K key : keys) {
      if (key == null) {
        throw new NullPointerException("The key at index " + index + " is null");
      }
      index++;
      bulk.add(key);
    }
    bulk.begin(bulk.reads.size());
    bulk.encodeAll();
    return bulk;
  }

  private void add(K key) {
    GetRead read = new GetRead(key);
    if (outcomes == null || outcomes.putIfAbsent(key, read) == null) {
      reads.add(read);
    }
  }

  private void encodeAll() {
    RedisCodec<K, V> codec = router.codec();
    for (GetRead read : reads) {
      try {
        read.encodeWith(codec);
      } catch (RuntimeException e) {
        read.completeExceptionally(RequestEncoder.failure(CommandType.GET, e));
      }
    }
  }

  @Override
  public void send() {
    WriteScope.join(this::dispatchAll);
  }

  private void dispatchAll() {
    ReadRouter.Routes<K, V> routes = router.routes();
    WriteScope corked = WriteScope.current();
    for (GetRead read : reads) {
      EncodedCommand<K, V, V> encoded = read.encoded;
      if (encoded != null) {
        NodePipeline pipeline = routes.of(encoded);
        if (pipeline != null && corked != null) {
          NodeSpans spans = pipeline.spans();
          if (spans != null) {
            spans.calledEncoded(encoded.getDelegate());
          }
          pipeline.takes(read);
          corked.hold(pipeline, encoded);
        } else {
          read.letLettuceRoute();
        }
      }
    }
  }

  @Override
  public int cell(int index) {
    EncodedCommand<K, V, V> encoded = reads.get(index).encoded;
    return encoded == null ? NO_CELL : WriteClock.cellOfFirstArgument(encoded);
  }

  @Override
  public Outcomes<?> outcomes() {
    return this;
  }

  @Override
  public @Nullable Result<V> result(int index) {
    return reads.get(index).result();
  }

  @Override
  MultiGet<K, V> all() {
    return this;
  }

  /** The outcomes in the order of the distinct keys. Valid once {@link #future} is complete. */
  @SuppressWarnings("unchecked") // Each read was replaced by its result.
  public synchronized Map<K, Result<V>> results() {
    Map<K, Object> outcomes = Objects.requireNonNull(this.outcomes);
    for (Map.Entry<K, Object> outcome : outcomes.entrySet()) {
      if (outcome.getValue() instanceof MultiGet<?, ?>.GetRead read) {
        outcome.setValue(Objects.requireNonNull(read.result()));
      }
    }
    return Collections.unmodifiableMap((Map<K, Result<V>>) (Map<K, ?>) outcomes);
  }

  @Override
  public long replyBytes() {
    long bytes = 0;
    for (GetRead read : reads) {
      bytes += ((MeasuredOutput<K, V>) read.getOutput()).bytes();
    }
    return bytes;
  }

  @Override
  List<GetRead> commands() {
    return reads;
  }

  /** The value of one key, and its size before it was decoded. */
  private static final class MeasuredOutput<K, V> extends ValueOutput<K, V> {

    private int bytes;

    MeasuredOutput(RedisCodec<K, V> codec) {
      super(codec);
    }

    @Override
    public void set(ByteBuffer value) {
      // A nil has no bytes.
      bytes = value == null ? 0 : value.remaining();
      output = value == null ? null : ValueText.decoded(codec, value);
    }

    int bytes() {
      return bytes;
    }
  }

  /** The GET of one key. */
  private final class GetRead extends KeyedCommand<K, V, V, V> {

    private final K key;

    /** Whether Lettuce follows redirects for it. */
    private boolean routedByLettuce;

    /** The encoded read; null if the codec failed. */
    private @Nullable EncodedCommand<K, V, V> encoded;

    @SuppressWarnings("NullAway") // The arguments come later, if at all.
    GetRead(K key) {
      super(MultiGet.this, CommandType.GET, new MeasuredOutput<>(router.codec()), null);
      this.key = key;
    }

    /**
     * Encodes the request.
     *
     * @throws RuntimeException if the codec throws one
     */
    void encodeWith(RedisCodec<K, V> codec) {
      encoded =
          fusible
              ? EncodedCommand.encodedGet(
                  this, RequestEncoder.encodeGet(codec, key), router.compression())
              : EncodedCommand.encode(this, false, router.compression());
    }

    /** Sends it like any other command. */
    void letLettuceRoute() {
      routedByLettuce = true;
      try {
        router.connection().dispatch(this);
      } catch (RuntimeException e) {
        completeExceptionally(e);
      }
    }

    /** Made for each who asks, which is rare: the request is encoded without them. */
    @Override
    public CommandArgs<K, V> getArgs() {
      return new CommandArgs<>(router.codec()).addKey(key);
    }

    @Override
    public void encode(ByteBuf buffer) {
      buffer.writeBytes(RequestEncoder.encodeGet(router.codec(), key));
    }

    @Override
    public void complete() {
      String error = getOutput().getError();
      if (error != null && !routedByLettuce && isRedirect(error)) {
        // The slot has moved since Lettuce's last refresh, which a redirection triggers again.
        getOutput().setError((String) null);
        letLettuceRoute();
        return;
      }
      super.complete();
    }

    private static boolean isRedirect(String error) {
      return error.startsWith("MOVED ") || error.startsWith("ASK ");
    }

    @Override
    Result<V> answered() {
      V value = getOutput().get();
      return value == null ? new Result.Absent<>() : new Result.Value<>(value);
    }
  }
}
