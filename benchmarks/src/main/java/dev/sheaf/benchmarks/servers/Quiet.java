// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps the clients' start-up messages out of the figures; warnings still show. */
public final class Quiet {

  // Held here because the logging framework forgets the level of a logger nobody refers to.
  private static final Logger ROOT = Logger.getLogger("");

  /** Warns for each node whenever a Lettuce cluster client is shut down. */
  private static final Logger SHUTDOWN = Logger.getLogger("io.lettuce.core.RedisChannelHandler");

  private Quiet() {}

  public static void logging() {
    ROOT.setLevel(Level.WARNING);
    SHUTDOWN.setLevel(Level.SEVERE);
  }
}
