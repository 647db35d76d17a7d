// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.inspector.Inspection;
import dev.sheaf.inspector.InspectionLimits;
import dev.sheaf.inspector.Inspector;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** Inspects keys, except on nodes that are known to be unavailable. Thread-safe. */
final class ValueReader implements AutoCloseable {

  /** Thrown if a key could not be inspected. */
  static final class NotReadException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean refused;

    NotReadException(boolean refused, String message) {
      super(message);
      this.refused = refused;
    }

    /** Whether the server answered and refused. */
    boolean isRefused() {
      return refused;
    }
  }

  private final InspectionLimits limits;
  private final Duration timeout;
  private final BoundedCalls calls;

  ValueReader(InspectionLimits limits, Duration timeout, int maxConcurrentReads) {
    this.limits = limits;
    this.timeout = timeout;
    this.calls = new BoundedCalls("sheaf-admin", maxConcurrentReads);
  }

  /**
   * Inspects a key. Blocks at most the time-out.
   *
   * @throws NotReadException if it failed; the message has the reason, and nothing of the value
   */
  Inspection read(Sheaf<?, ?> sheaf, byte[] key) throws NotReadException {
    try {
      return calls.call(() -> inspect(sheaf, key), timeout);
    } catch (RejectedExecutionException e) {
      throw new NotReadException(
          false,
          "Too many keys are looked at: "
              + calls.maxConcurrent()
              + " at a time (sheaf.admin.max-concurrent-reads), and "
              + BoundedCalls.MAX_WAITING
              + " wait.");
    } catch (TimeoutException e) {
      throw new NotReadException(
          false, "Redis did not answer within sheaf.admin.timeout=" + timeout.toMillis() + "ms.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NotReadException(false, "The request was interrupted.");
    } catch (ExecutionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    }
  }

  private Inspection inspect(Sheaf<?, ?> sheaf, byte[] key) throws NotReadException {
    if (isDown(sheaf.availability().status())) {
      throw new NotReadException(false, "Redis is DOWN.");
    }
    if (sheaf.isCluster()) {
      requireNode(sheaf, key);
    }
    return Inspector.of(sheaf, limits).inspect(key);
  }

  private static void requireNode(Sheaf<?, ?> sheaf, byte[] key) throws NotReadException {
    RedisClusterNode node = sheaf.cluster().getPartitions().getMasterBySlot(SlotHash.getSlot(key));
    if (node == null) {
      throw new NotReadException(false, "No node serves the slot of the key.");
    }
    String address = node.getUri().getHost() + ":" + node.getUri().getPort();
    AvailabilityStatus status = sheaf.availability().nodes().get(address);
    if (status != null && isDown(status)) {
      throw new NotReadException(false, "The node of the key is DOWN.");
    }
  }

  private static boolean isDown(AvailabilityStatus status) {
    return status.state() == AvailabilityState.DOWN;
  }

  /** Names the type of the failure only: messages can contain parts of keys or values. */
  private static NotReadException failure(Throwable cause) {
    if (cause instanceof NotReadException known) {
      return known;
    }
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof RedisCommandExecutionException && message.startsWith("NOPERM")) {
      return new NotReadException(
          true, "Redis does not allow the application's user to read this key.");
    }
    return new NotReadException(
        false, "The key could not be read: " + cause.getClass().getSimpleName() + ".");
  }

  @Override
  public void close() {
    calls.close();
  }
}
