// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

/** The clock of the nodes of a server. */
public interface ServerClock {
  /** Returns milliseconds since the epoch. */
  long millis();

  /** Returns microseconds since the epoch. */
  long micros();

  /** Called after each command of a script, which can take time. */
  void scriptCommandRan();
}
