// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.concurrent.ScheduledExecutorService;

/** The time that commands see, and the thread that runs them. */
interface CommandTime {
  /** Returns milliseconds since the epoch, constant while a command runs. */
  long now();

  /** Reads the time from the clock again. */
  long refreshNow();

  ScheduledExecutorService thread();
}
