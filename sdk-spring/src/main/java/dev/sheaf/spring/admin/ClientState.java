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

/** What a client knows without asking Redis, if it can be had at once. Thread-safe. */
final class ClientState implements AutoCloseable {

  /** A client that has connected answers from memory; this is for one that has not: 250 ms. */
  private static final Duration PATIENCE = Duration.ofMillis(250);

  /** What a client knows. */
  record Known(boolean cluster, GuardReport guard, List<LoopReport> loops) {}

  private final BoundedCalls calls = new BoundedCalls("sheaf-admin-state", 2);

  /** What it knows; null of one that is closed, or that has not connected yet. Blocks hardly. */
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
