// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.concurrent.ScheduledExecutorService;

/** The time by which commands go, and the thread that runs them. */
interface CommandTime {
  /** Milliseconds since the epoch; stands still while a command runs. */
  long now();

  /** Takes the time from the clock anew. */
  long refreshNow();

  ScheduledExecutorService thread();
}
