package dev.sheaf.benchmarks;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps the clients' start-up messages out of the figures; warnings still show. */
final class Quiet {

  /** Held here because the logging framework forgets the level of a logger nobody refers to. */
  private static final Logger ROOT = Logger.getLogger("");

  private Quiet() {}

  static void logging() {
    ROOT.setLevel(Level.WARNING);
  }
}
