package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.compression.Inspection;
import dev.sheaf.compression.InspectionLimits;
import dev.sheaf.compression.Inspector;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Looks at keys, a few at a time, and never waits longer than it is told, whatever the command
 * time-out of the client is. Thread-safe.
 */
final class ValueReader implements AutoCloseable {

  /** How many requests may wait for their turn: 16; each holds a thread of the web server. */
  static final int MAX_WAITING = 16;

  /** A key could not be looked at. */
  static final class NotReadException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean refused;

    NotReadException(boolean refused, String message) {
      super(message);
      this.refused = refused;
    }

    /** Whether the server answered, and does not allow it. */
    boolean isRefused() {
      return refused;
    }
  }

  private final InspectionLimits limits;
  private final Duration timeout;
  private final ThreadPoolExecutor threads;

  ValueReader(InspectionLimits limits, Duration timeout, int maxConcurrentReads) {
    this.limits = limits;
    this.timeout = timeout;
    AtomicInteger count = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            maxConcurrentReads,
            maxConcurrentReads,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> {
              Thread thread = new Thread(task, "sheaf-admin-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Looks at a key. Blocks, for the time-out at most.
   *
   * @throws NotReadException if it could not; the message says why, and nothing of the value
   */
  Inspection read(Sheaf<?, ?> sheaf, byte[] key) throws NotReadException {
    Future<Inspection> reading;
    try {
      refuseWhenDown(sheaf, key);
      reading = submit(sheaf, key);
    } catch (RuntimeException e) {
      throw failure(e);
    }
    try {
      return reading.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      reading.cancel(true);
      throw new NotReadException(
          false, "Redis did not answer within sheaf.admin.timeout=" + timeout.toMillis() + "ms.");
    } catch (InterruptedException e) {
      reading.cancel(true);
      Thread.currentThread().interrupt();
      throw new NotReadException(false, "The request was interrupted.");
    } catch (ExecutionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    }
  }

  private static void refuseWhenDown(Sheaf<?, ?> sheaf, byte[] key) throws NotReadException {
    if (isDown(sheaf.availability().status())) {
      throw new NotReadException(false, "Redis is DOWN.");
    }
    if (sheaf.isCluster()) {
      RedisClusterNode node =
          sheaf.cluster().getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
      if (node == null) {
        throw new NotReadException(false, "No node serves the slot of the key.");
      }
      AvailabilityStatus status =
          sheaf
              .availability()
              .nodes()
              .get(node.getUri().getHost() + ":" + node.getUri().getPort());
      if (status != null && isDown(status)) {
        throw new NotReadException(false, "The node of the key is DOWN.");
      }
    }
  }

  private static boolean isDown(AvailabilityStatus status) {
    return status.state() == AvailabilityState.DOWN;
  }

  private Future<Inspection> submit(Sheaf<?, ?> sheaf, byte[] key) throws NotReadException {
    try {
      return threads.submit(() -> new Inspector(connection(sheaf), limits).inspect(key));
    } catch (RejectedExecutionException e) {
      throw new NotReadException(
          false,
          "Too many keys are looked at: "
              + threads.getMaximumPoolSize()
              + " at a time (sheaf.admin.max-concurrent-reads), and "
              + MAX_WAITING
              + " wait.");
    }
  }

  private static StatefulConnection<?, ?> connection(Sheaf<?, ?> sheaf) {
    return sheaf.isCluster() ? sheaf.cluster() : sheaf.standalone();
  }

  /** Says what failed by its type: messages may hold parts of keys or values. */
  private static NotReadException failure(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof RedisCommandExecutionException && message.startsWith("NOPERM")) {
      return new NotReadException(
          true, "Redis does not allow the application's user to read this key.");
    }
    return new NotReadException(
        false, "The key could not be read: " + cause.getClass().getSimpleName() + ".");
  }

  /** Ends the threads; what is under way is interrupted. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
