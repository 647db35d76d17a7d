package dev.sheaf.examples.demo;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The documents on the server, which are taken away again when this is closed, or when the JVM ends
 * before. Nothing but these very keys is touched.
 */
final class StoredKeys implements AutoCloseable {

  /**
   * Keys vanish by themselves after this time if the JVM was killed before it could delete them.
   */
  static final Duration TIME_TO_LIVE = Duration.ofHours(1);

  /** Documents are sent in batches of about this many bytes, well below what Sheaf lets queue. */
  static final int BATCH_BYTES = 2 * 1024 * 1024;

  /** Keys deleted in one batch. */
  static final int KEYS_PER_DELETE = 1_000;

  private final Sheaf<String, String> sheaf;
  private final List<String> keys = new ArrayList<>();
  private final AtomicBoolean deleted = new AtomicBoolean();
  private final Thread hook = new Thread(this::interrupted, "sheaf-demo-clean-up");
  private final Progress progress;

  private StoredKeys(Sheaf<String, String> sheaf, Progress progress) {
    this.sheaf = sheaf;
    this.progress = progress;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Stores all documents.
   *
   * @throws DemoException if the server refuses one, for instance for want of memory
   */
  static StoredKeys store(
      Sheaf<String, String> sheaf, Documents documents, String keyPrefix, Progress progress) {
    StoredKeys stored = new StoredKeys(sheaf, progress);
    try {
      stored.storeAll(documents.stored(), keyPrefix);
      return stored;
    } catch (RedisException e) {
      stored.close();
      throw new DemoException("The server refused a document: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      stored.close();
      throw e;
    }
  }

  private void storeAll(List<StoredDocument> documents, String keyPrefix) {
    int next = 0;
    while (next < documents.size()) {
      try (Batch<String, String> batch = sheaf.batch()) {
        List<Deferred<@Nullable String>> replies = new ArrayList<>();
        for (long bytes = 0; next < documents.size() && bytes < BATCH_BYTES; next++) {
          StoredDocument document = documents.get(next);
          bytes += document.bytes();
          replies.add(set(batch, keyPrefix + document.key(), document.json()));
        }
        replies.forEach(Deferred::get);
      }
    }
  }

  private Deferred<@Nullable String> set(Batch<String, String> batch, String key, String json) {
    synchronized (keys) {
      keys.add(key);
    }
    return batch.add(redis -> redis.set(key, json, SetArgs.Builder.ex(TIME_TO_LIVE)));
  }

  int count() {
    synchronized (keys) {
      return keys.size();
    }
  }

  /** The experiments still run, and what they report of vanishing documents would mislead. */
  private void interrupted() {
    if (!deleted.get()) {
      progress.lastWord("Interrupted: deleting the stored documents");
      delete();
    }
  }

  private void delete() {
    if (!deleted.compareAndSet(false, true)) {
      return;
    }
    List<String> all;
    synchronized (keys) {
      all = List.copyOf(keys);
    }
    for (int from = 0; from < all.size(); from += KEYS_PER_DELETE) {
      try (Batch<String, String> batch = sheaf.batch()) {
        for (String key : all.subList(from, Math.min(from + KEYS_PER_DELETE, all.size()))) {
          batch.add(redis -> redis.del(key));
        }
      }
    }
  }

  /**
   * Deletes the keys.
   *
   * @throws DemoException if the server does not let it; the message says when they vanish
   */
  @Override
  public void close() {
    try {
      delete();
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyShuttingDown) {
      // The hook does the same.
    } catch (RuntimeException e) {
      throw new DemoException(
          "Could not delete the documents, which vanish by themselves within "
              + TIME_TO_LIVE.toMinutes()
              + " minutes: "
              + e.getMessage(),
          e);
    }
  }
}
