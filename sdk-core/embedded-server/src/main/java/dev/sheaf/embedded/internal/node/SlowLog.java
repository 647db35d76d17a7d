// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.ArrayDeque;
import java.util.Deque;

/** The commands that took long, the newest first. */
public final class SlowLog {
  /** Arguments kept of one command; the rest is counted. */
  public static final int MAX_ARGUMENTS = 32;

  /** Bytes kept of one argument; the rest is counted. */
  public static final int MAX_ARGUMENT_BYTES = 128;

  /**
   * A command that took long.
   *
   * @param time seconds since the epoch
   * @param args with the name, shortened
   */
  public record Entry(
      long id, long time, long micros, byte[][] args, String address, String clientName) {}

  public final Deque<Entry> entries = new ArrayDeque<>();
  private long nextId;

  /** Adds one, and forgets the oldest beyond {@code max}. */
  public void add(
      long time, long micros, byte[][] args, String address, String clientName, long max) {
    entries.addFirst(new Entry(nextId++, time, micros, args, address, clientName));
    while (entries.size() > Math.max(0, max)) {
      entries.removeLast();
    }
  }
}
