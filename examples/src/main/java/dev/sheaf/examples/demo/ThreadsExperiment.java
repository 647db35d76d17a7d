package dev.sheaf.examples.demo;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The threads of a service, each with one blocking read after the other, on a shared client. */
final class ThreadsExperiment implements Experiment {

  private final int threads;
  private final List<String> keys;
  private final List<String> values;
  private @Nullable ExecutorService pool;

  /** Each thread reads {@code reads} documents. */
  ThreadsExperiment(Documents documents, String keyPrefix, int threads, int reads) {
    List<StoredDocument> page = documents.page(reads);
    this.threads = threads;
    this.keys = page.stream().map(document -> keyPrefix + document.key()).toList();
    this.values = page.stream().map(StoredDocument::json).toList();
  }

  @Override
  public String name() {
    return "threads-" + threads;
  }

  @Override
  public String description() {
    return threads
        + " threads at once, each of which reads "
        + Figures.count(keys.size())
        + " documents, one after the other";
  }

  @Override
  public List<?> expected() {
    List<String> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      for (int i = 0; i < values.size(); i++) {
        all.add(values.get(place(thread, i)));
      }
    }
    return all;
  }

  /** Each thread begins elsewhere, as the requests of different users do. */
  private int place(int thread, int read) {
    return (thread + read) % keys.size();
  }

  @Override
  public void prepare(Clients clients) {
    pool = Executors.newFixedThreadPool(threads);
  }

  @Override
  public void cleanUp(Clients clients) {
    if (pool != null) {
      pool.shutdownNow();
      pool = null;
    }
  }

  @Override
  public List<Way> ways(Clients clients) {
    return List.of(
        new Way("naive", "Lettuce, get(key) by each thread", () -> read(clients.lettuce())),
        new Way("sheaf", "Sheaf, get(key) by each thread", () -> read(clients.sheaf().sync())));
  }

  private List<@Nullable String> read(RedisClusterCommands<String, String> redis) {
    ExecutorService executor = pool;
    if (executor == null) {
      throw new IllegalStateException("prepare() comes first");
    }
    List<Callable<List<@Nullable String>>> readers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      readers.add(() -> read(redis, thread));
    }
    try {
      List<@Nullable String> all = new ArrayList<>();
      for (Future<List<@Nullable String>> reader : executor.invokeAll(readers)) {
        all.addAll(reader.get());
      }
      return all;
    } catch (ExecutionException e) {
      throw new DemoException("A reader failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DemoException("Interrupted while readers were at work", e);
    }
  }

  private List<@Nullable String> read(RedisClusterCommands<String, String> redis, int thread) {
    List<@Nullable String> read = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      read.add(redis.get(keys.get(place(thread, i))));
    }
    return read;
  }
}
