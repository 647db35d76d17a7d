// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.ArrayDeque;

/** Scratch arrays of one size, shared by the connections of one thread. */
public final class BufferPool {
  public static final int SIZE = 16 * 1024;
  private static final int MAX_IDLE = 256;

  private final ArrayDeque<byte[]> idle = new ArrayDeque<>();

  byte[] take() {
    byte[] buffer = idle.poll();
    return buffer == null ? new byte[SIZE] : buffer;
  }

  void give(byte[] buffer) {
    if (buffer.length == SIZE && idle.size() < MAX_IDLE) {
      idle.push(buffer);
    }
  }
}
