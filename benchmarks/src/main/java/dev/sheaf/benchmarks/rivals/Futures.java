// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asynchronous GETs that are all called before any is awaited. */
final class Futures {

  private Futures() {}

  /** Calls a GET for each key. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  static Future<String>[] each(String[] keys, Function<String, ? extends Future<String>> get) {
    Future<String>[] replies = new Future[keys.length];
    for (int i = 0; i < keys.length; i++) {
      replies[i] = get.apply(keys[i]);
    }
    return replies;
  }

  /** Waits for all values. */
  static @Nullable String[] values(Future<String>[] replies) {
    @Nullable String[] values = new String[replies.length];
    for (int i = 0; i < replies.length; i++) {
      values[i] = value(replies[i]);
    }
    return values;
  }

  /** Waits for one value. */
  static <T> T value(Future<T> reply) {
    try {
      return reply.get();
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for a reply", e);
    }
  }
}
