// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.SheafException;
import dev.sheaf.internal.pipeline.Replies;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.scripts.RegisteredScript;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link Batch}: records calls, and makes them within one write scope. */
final class DefaultBatch<K, V> implements Batch<K, V> {

  private final RedisClusterAsyncCommands<K, V> commands;
  private final Duration timeout;
  private final List<Entry<?>> unsent = new ArrayList<>();
  private final Deque<Entry<?>> unanswered = new ArrayDeque<>();

  /** The failed ones of those that are no longer in {@link #unanswered}. */
  private final List<Entry<?>> failed = new ArrayList<>();

  private boolean closed;

  DefaultBatch(RedisClusterAsyncCommands<K, V> commands, Duration timeout) {
    this.commands = commands;
    this.timeout = timeout;
  }

  @Override
  public Deferred<@Nullable V> get(K key) {
    Objects.requireNonNull(key, "The key is null");
    return add(redis -> redis.get(key));
  }

  @Override
  public <T extends @Nullable Object> Deferred<T> add(
      Function<? super RedisClusterAsyncCommands<K, V>, ? extends CompletionStage<T>> command) {
    Objects.requireNonNull(command, "The command is null");
    if (closed) {
      throw new IllegalStateException("The batch is closed; begin another with sheaf.batch()");
    }
    Entry<T> entry = new Entry<>(command);
    unsent.add(entry);
    if (unsent.size() >= MAX_UNSENT_COMMANDS) {
      execute();
    }
    return entry;
  }

  @Override
  public <T extends @Nullable Object> Deferred<T> call(
      RegisteredScript<K, T> script, List<? extends K> keys, Object... args) {
    Supplier<CompletableFuture<T>> prepared = script.prepare(keys, args);
    return add(redis -> prepared.get());
  }

  @Override
  public void execute() {
    if (unsent.isEmpty()) {
      return;
    }
    while (unanswered.size() + unsent.size() > MAX_UNANSWERED_COMMANDS) {
      settle(unanswered.remove());
    }
    // This comes first, because a command can use this batch while it is being sent.
    List<Entry<?>> sending = List.copyOf(unsent);
    unsent.clear();
    unanswered.addAll(sending);
    WriteScope.runBlocking(() -> sending.forEach(Entry::send), timeout);
  }

  private void settle(Entry<?> entry) {
    if (entry.await() != null) {
      failed.add(entry);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    execute();
    closed = true;
    while (!unanswered.isEmpty()) {
      settle(unanswered.remove());
    }
    failed.removeIf(entry -> entry.wasRead);
    if (!failed.isEmpty()) {
      Throwable first = Objects.requireNonNull(failed.get(0).await());
      throw new SheafException(
          failed.size()
              + (failed.size() == 1 ? " command" : " commands")
              + " of the batch failed whose result was not read; the first with: "
              + first.getMessage(),
          first);
    }
  }

  private final class Entry<T extends @Nullable Object> implements Deferred<T> {

    private final Function<? super RedisClusterAsyncCommands<K, V>, ? extends CompletionStage<T>>
        command;
    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private boolean sent;
    private boolean wasRead;

    Entry(Function<? super RedisClusterAsyncCommands<K, V>, ? extends CompletionStage<T>> command) {
      this.command = command;
    }

    void send() {
      if (sent) {
        return;
      }
      sent = true;
      try {
        CompletionStage<T> reply =
            Objects.requireNonNull(command.apply(commands), "The command returned no future");
        reply.whenComplete(this::complete);
      } catch (RuntimeException e) {
        outcome.completeExceptionally(e);
      }
    }

    private void complete(T value, @Nullable Throwable failure) {
      if (failure == null) {
        outcome.complete(value);
      } else {
        outcome.completeExceptionally(failure);
      }
    }

    /** Waits for the outcome. Returns the failure, or null after success. */
    @Nullable Throwable await() {
      send();
      return Replies.failureOf(outcome, timeout);
    }

    @Override
    public T get() {
      if (!sent) {
        execute();
        // Still missing if a command before it in the batch asks for it while the batch is being
        // sent.
        send();
      }
      wasRead = true;
      return Replies.resultOf(outcome, timeout);
    }

    @Override
    public boolean isDone() {
      return outcome.isDone();
    }

    @Override
    public CompletionStage<T> toCompletionStage() {
      return outcome.minimalCompletionStage();
    }
  }
}
