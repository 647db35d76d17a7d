// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.ArrayDeque;
import java.util.Deque;

/** The slow commands, the latest first. */
public final class SlowLog {
  /** The arguments kept per command; further ones are counted. */
  public static final int MAX_ARGUMENTS = 32;

  /** The bytes kept per argument; further ones are counted. */
  public static final int MAX_ARGUMENT_BYTES = 128;

  /**
   * A slow command.
   *
   * @param time seconds since the epoch
   * @param args the words of the command, shortened
   */
  public record Entry(
      long id, long time, long micros, byte[][] args, String address, String clientName) {}

  public final Deque<Entry> entries = new ArrayDeque<>();
  private long nextId;

  /** Adds a command and drops the oldest beyond {@code max}. */
  public void add(
      long time, long micros, byte[][] args, String address, String clientName, long max) {
    entries.addFirst(new Entry(nextId++, time, micros, args, address, clientName));
    while (entries.size() > Math.max(0, max)) {
      entries.removeLast();
    }
  }
}
