// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The state that a client knows without asking Redis, if available at once. Thread-safe. */
final class ClientState implements AutoCloseable {

  /**
   * A connected client answers from memory. This is the limit for one that is not connected: 250
   * ms.
   */
  private static final Duration PATIENCE = Duration.ofMillis(250);

  /** The state of the client. */
  record Known(boolean cluster, GuardReport guard, List<LoopReport> loops) {}

  private final BoundedCalls calls = new BoundedCalls("sheaf-admin-state", 2);

  /** Returns the state; null if the client is closed or not connected yet. Blocks briefly. */
  @Nullable Known of(Sheaf<?, ?> sheaf) {
    try {
      return calls.call(
          () -> new Known(sheaf.isCluster(), GuardReport.of(sheaf), sheaf.loops()), PATIENCE);
    } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  @Override
  public void close() {
    calls.close();
  }
}
