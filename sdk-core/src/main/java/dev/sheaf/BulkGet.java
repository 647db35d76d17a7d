package dev.sheaf;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.internal.ExceptionFactory;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One read of many keys: a GET for each distinct key, sent together, with one future for all.
 *
 * <p>The GETs are plain commands without a future of their own; the last one to finish completes
 * the whole, so that the waiting thread wakes once.
 */
final class BulkGet<K, V> {

  private static final VarHandle RESULT;

  static {
    try {
      RESULT = MethodHandles.lookup().findVarHandle(BulkGet.GetRead.class, "result", Result.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Map<K, GetRead> reads;
  private final CompletableFuture<Map<K, Result<V>>> whole = new CompletableFuture<>();
  private final AtomicInteger unfinished = new AtomicInteger();

  private BulkGet(int keys) {
    this.reads = new LinkedHashMap<>(keys * 4 / 3 + 1);
  }

  /**
   * Sends the reads.
   *
   * @throws NullPointerException if a key is null; nothing is sent then
   */
  static <K, V> BulkGet<K, V> send(
      StatefulConnection<K, V> connection, RedisCodec<K, V> codec, Collection<? extends K> keys) {
    BulkGet<K, V> bulk = prepare(codec, keys);
    Corked.run(() -> bulk.dispatchAll(connection));
    return bulk;
  }

  /**
   * Sends the reads, waiting for room in the queues at most the given time.
   *
   * @throws NullPointerException if a key is null; nothing is sent then
   */
  static <K, V> BulkGet<K, V> sendBlocking(
      StatefulConnection<K, V> connection,
      RedisCodec<K, V> codec,
      Collection<? extends K> keys,
      Duration timeout) {
    BulkGet<K, V> bulk = prepare(codec, keys);
    Corked.runBlocking(() -> bulk.dispatchAll(connection), timeout);
    return bulk;
  }

  private static <K, V> BulkGet<K, V> prepare(
      RedisCodec<K, V> codec, Collection<? extends K> keys) {
    BulkGet<K, V> bulk = new BulkGet<>(keys.size());
    int index = 0;
    for (K key : keys) {
      if (key == null) {
        throw new NullPointerException("The key at index " + index + " is null");
      }
      index++;
      if (!bulk.reads.containsKey(key)) {
        bulk.reads.put(key, bulk.new GetRead(codec, key));
      }
    }
    if (bulk.reads.isEmpty()) {
      bulk.whole.complete(Map.of());
    }
    bulk.unfinished.set(bulk.reads.size());
    return bulk;
  }

  private void dispatchAll(StatefulConnection<K, V> connection) {
    reads.values().forEach(read -> dispatch(connection, read));
  }

  private void dispatch(StatefulConnection<K, V> connection, GetRead command) {
    try {
      connection.dispatch(command);
    } catch (RuntimeException e) {
      command.completeExceptionally(e);
    }
  }

  CompletableFuture<Map<K, Result<V>>> future() {
    return whole;
  }

  /** The bytes of all values as they travelled. To be asked once {@link #future} is complete. */
  long replyBytes() {
    long bytes = 0;
    for (GetRead read : reads.values()) {
      bytes += ((MeasuredOutput<K, V>) read.getOutput()).bytes();
    }
    return bytes;
  }

  /** Fails the keys that have no outcome yet, so that every key has one. */
  void expire(Duration timeout) {
    for (GetRead read : reads.values()) {
      if (read.result() == null) {
        read.completeExceptionally(
            new RedisCommandTimeoutException(
                "No answer within " + timeout.toMillis() + " ms; commandTimeout sets the limit"));
      }
    }
  }

  private void finished() {
    if (unfinished.decrementAndGet() == 0) {
      Map<K, Result<V>> results = new LinkedHashMap<>(reads.size() * 4 / 3 + 1);
      reads.forEach((key, read) -> results.put(key, Objects.requireNonNull(read.result())));
      whole.complete(Collections.unmodifiableMap(results));
    }
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
      super.set(value);
    }

    int bytes() {
      return bytes;
    }
  }

  /** The GET of one key. Its first outcome counts; what comes later is dropped. */
  private final class GetRead extends Command<K, V, V> implements CompleteableCommand<V> {

    private volatile @Nullable Result<V> result;
    private volatile @Nullable Runnable whenDone;

    GetRead(RedisCodec<K, V> codec, K key) {
      super(CommandType.GET, new MeasuredOutput<>(codec), new CommandArgs<>(codec).addKey(key));
    }

    @Nullable Result<V> result() {
      return result;
    }

    @Override
    public void complete() {
      String error = getOutput().getError();
      if (error != null) {
        finish(new Result.Failure<>(ExceptionFactory.createExecutionException(error)));
        return;
      }
      V value = getOutput().get();
      finish(value == null ? new Result.Absent<>() : new Result.Value<>(value));
    }

    @Override
    public boolean completeExceptionally(Throwable throwable) {
      return finish(
          new Result.Failure<>(
              throwable instanceof RedisException redis
                  ? redis
                  : new SheafException("The read failed: " + throwable, throwable)));
    }

    @Override
    public void cancel() {
      finish(
          new Result.Failure<>(
              new SheafException(
                  "The read was cancelled, its connection was closed",
                  new CancellationException())));
    }

    private boolean finish(Result<V> outcome) {
      if (!RESULT.compareAndSet(this, null, outcome)) {
        return false;
      }
      super.complete();
      Runnable action = whenDone;
      if (action != null) {
        action.run();
      }
      finished();
      return true;
    }

    @Override
    public void onComplete(Consumer<? super V> action) {
      onComplete((value, failure) -> action.accept(value));
    }

    @Override
    @SuppressWarnings("NullAway") // A missing value and no failure are null by contract.
    public void onComplete(BiConsumer<? super V, Throwable> action) {
      Runnable before = whenDone;
      whenDone =
          () -> {
            if (before != null) {
              before.run();
            }
            action.accept(getOutput().get(), null);
          };
    }
  }
}
