package dev.sheaf.benchmarks.latency;

/** Tells the process that counts costs when the measured time begins and ends, and waits for it. */
public interface Gate {

  /** Passes the beginning or the end of the measured time. */
  void pass();
}
