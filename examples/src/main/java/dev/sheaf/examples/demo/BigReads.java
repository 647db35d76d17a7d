package dev.sheaf.examples.demo;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import org.jspecify.annotations.Nullable;

/** Keeps some reads of big values under way on a client, from its making to its closing. */
final class BigReads implements AutoCloseable {

  private final RedisClusterAsyncCommands<String, String> commands;
  private final Phaser underWay = new Phaser(1);
  private final CountDownLatch flowing;
  private volatile boolean stopped;
  private volatile @Nullable Throwable failed;

  /** Begins, and waits until the first values have come. */
  BigReads(RedisClusterAsyncCommands<String, String> commands, List<String> keys, int atOnce) {
    this.commands = commands;
    this.flowing = new CountDownLatch(atOnce);
    for (int i = 0; i < atOnce; i++) {
      read(keys.get(i % keys.size()));
    }
    try {
      flowing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(String key) {
    underWay.register();
    commands
        .get(key)
        .whenComplete(
            (value, failure) -> {
              flowing.countDown();
              if (failure != null) {
                failed = failure;
              } else if (!stopped) {
                read(key);
              }
              underWay.arriveAndDeregister();
            });
  }

  /**
   * Waits until the last value has come.
   *
   * @throws DemoException if a read failed, and the client was not busy all the time
   */
  @Override
  public void close() {
    stopped = true;
    underWay.arriveAndAwaitAdvance();
    if (failed != null) {
      throw new DemoException("A big value could not be read: " + failed, failed);
    }
  }
}
