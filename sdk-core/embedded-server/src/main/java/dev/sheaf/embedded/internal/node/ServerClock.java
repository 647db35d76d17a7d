// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

/** The time the nodes of a server go by. */
public interface ServerClock {
  /** Milliseconds since the epoch. */
  long millis();

  /** Microseconds since the epoch. */
  long micros();

  /** Told after each command of a script, which may take time. */
  void scriptCommandRan();
}
