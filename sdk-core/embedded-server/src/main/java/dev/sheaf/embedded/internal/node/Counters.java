package dev.sheaf.embedded.internal.node;

import java.util.Arrays;

/** What a node counts. Written and read on the command thread. */
public final class Counters {
  public long commands;
  public long connections;
  public long bytesIn;
  public long bytesOut;
  public long readBatches;
  public long expiredKeys;
  public long hits;
  public long misses;
  public long errors;
  public final long[] perCommand;

  Counters(int commandRows) {
    perCommand = new long[commandRows];
  }

  public void reset() {
    commands = 0;
    connections = 0;
    bytesIn = 0;
    bytesOut = 0;
    readBatches = 0;
    expiredKeys = 0;
    hits = 0;
    misses = 0;
    errors = 0;
    Arrays.fill(perCommand, 0);
  }
}
