package dev.sheaf.benchmarks;

import io.lettuce.core.RedisFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asynchronous GETs, called one after the other and then waited for. */
final class Futures {

  private Futures() {}

  /** Calls a GET for each key. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static RedisFuture<String>[] each(String[] keys, Function<String, RedisFuture<String>> get) {
    RedisFuture<String>[] replies = new RedisFuture[keys.length];
    for (int i = 0; i < keys.length; i++) {
      replies[i] = get.apply(keys[i]);
    }
    return replies;
  }

  /** Waits for all values. */
  static @Nullable String[] values(RedisFuture<String>[] replies) {
    @Nullable String[] values = new String[replies.length];
    for (int i = 0; i < replies.length; i++) {
      try {
        values[i] = replies[i].get();
      } catch (ExecutionException e) {
        throw new CompletionException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while waiting for replies", e);
      }
    }
    return values;
  }
}
