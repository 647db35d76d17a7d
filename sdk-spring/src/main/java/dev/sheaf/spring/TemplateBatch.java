// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Batch} with the keys and values of a template. Values are serialized when a command is
 * added, and deserialized on the thread that reads the result.
 *
 * <p>Not thread-safe.
 *
 * @param <K> the template's type of keys
 * @param <V> the template's type of values
 */
public final class TemplateBatch<K, V> implements AutoCloseable {

  private final Batch<byte[], byte[]> batch;
  private final TemplateCodec<K, V> codec;

  TemplateBatch(Batch<byte[], byte[]> batch, TemplateCodec<K, V> codec) {
    this.batch = batch;
    this.codec = codec;
  }

  /**
   * Adds a GET.
   *
   * @throws NullPointerException if the key is null
   */
  public Deferred<@Nullable V> get(K key) {
    return new Mapped<>(batch.get(raw(key)), this::decode);
  }

  /**
   * Adds a SET.
   *
   * @throws NullPointerException if an argument is null
   */
  public Deferred<String> set(K key, V value) {
    byte[] rawKey = raw(key);
    byte[] rawValue = codec.rawValue(Objects.requireNonNull(value, "value"));
    return batch.add(redis -> redis.set(rawKey, rawValue));
  }

  /**
   * Adds a SET with a time to live, in whole milliseconds.
   *
   * @throws NullPointerException if an argument is null
   */
  public Deferred<String> set(K key, V value, Duration ttl) {
    byte[] rawKey = raw(key);
    byte[] rawValue = codec.rawValue(Objects.requireNonNull(value, "value"));
    SetArgs args = SetArgs.Builder.px(ttl.toMillis());
    return batch.add(redis -> redis.set(rawKey, rawValue, args));
  }

  /**
   * Adds an UNLINK. The result is 1, or 0 if the key did not exist.
   *
   * @throws NullPointerException if the key is null
   */
  public Deferred<Long> delete(K key) {
    byte[] rawKey = raw(key);
    return batch.add(redis -> redis.unlink(rawKey));
  }

  /**
   * Adds any command, with keys and values in their stored form. See {@link Batch#add}.
   *
   * @throws IllegalStateException if the batch is closed
   */
  public <T extends @Nullable Object> Deferred<T> add(
      Function<? super RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>>
          command) {
    return batch.add(command);
  }

  private byte[] raw(K key) {
    return codec.key(Objects.requireNonNull(key, "key"));
  }

  /** Sends the collected commands. Does not wait for replies. */
  public void execute() {
    batch.execute();
  }

  /**
   * Sends the collected commands and waits for all replies. See {@link Batch#close}.
   *
   * @throws dev.sheaf.SheafException if a command failed and nobody read its result
   */
  @Override
  public void close() {
    batch.close();
  }

  private @Nullable V decode(byte @Nullable [] value) {
    return value == null ? null : codec.value(value);
  }

  private record Mapped<S extends @Nullable Object, T extends @Nullable Object>(
      Deferred<S> source, Function<S, T> mapping) implements Deferred<T> {

    @Override
    public T get() {
      return mapping.apply(source.get());
    }

    @Override
    public boolean isDone() {
      return source.isDone();
    }

    @Override
    public CompletionStage<T> toCompletionStage() {
      return source.toCompletionStage().thenApply(mapping);
    }
  }
}
