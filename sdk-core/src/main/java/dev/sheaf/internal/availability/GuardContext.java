package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityStatus;
import io.lettuce.core.RedisClient;
import java.util.concurrent.ScheduledExecutorService;

/** What the guards of single nodes share. Thread-safe. */
interface GuardContext {

  AvailabilityOptions options();

  /** Makes the guards' connections. */
  RedisClient client();

  ScheduledExecutorService timer();

  /** Says in one clause why an attempt to connect failed. */
  String explain(Throwable failure);

  Jitter newSpread();

  AvailabilityMeters meters();

  /** Whether a node's answer is not enough because the cluster as a whole may be out of order. */
  boolean checksCluster();

  /** Runs a task later; false if the client is shut down. */
  boolean schedule(Runnable task, long delayNanos);

  /** What a node is known to be has changed, and so may have what the whole is. */
  void changed(NodeGuard node);

  /** Queues the news of a node's change for the listeners. */
  void changed(NodeGuard node, AvailabilityStatus before, AvailabilityStatus after);
}
