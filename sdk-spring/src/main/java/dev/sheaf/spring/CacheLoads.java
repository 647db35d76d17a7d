package dev.sheaf.spring;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** Loads under way, at most one for each key. Thread-safe. */
final class CacheLoads {

  private final ConcurrentHashMap<ByteBuffer, Load> underWay = new ConcurrentHashMap<>();

  private record Load(Thread owner, CompletableFuture<byte[]> value) {}

  /** Loads, or waits for the thread that loads this key already; what that throws is thrown. */
  byte[] load(ByteBuffer key, Supplier<byte[]> loader) {
    Load mine = new Load(Thread.currentThread(), new CompletableFuture<>());
    Load first = underWay.putIfAbsent(key, mine);
    if (first == null) {
      return lead(key, mine, loader);
    }
    // A loader that reads its own key would wait for itself.
    return first.owner() == Thread.currentThread() ? loader.get() : follow(first, loader);
  }

  private byte[] lead(ByteBuffer key, Load mine, Supplier<byte[]> loader) {
    try {
      byte[] loaded = loader.get();
      mine.value().complete(loaded);
      return loaded;
    } catch (RuntimeException | Error e) {
      mine.value().completeExceptionally(e);
      throw e;
    } finally {
      underWay.remove(key, mine);
    }
  }

  private static byte[] follow(Load first, Supplier<byte[]> loader) {
    try {
      return first.value().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return loader.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new CompletionException(e.getCause());
    }
  }
}
