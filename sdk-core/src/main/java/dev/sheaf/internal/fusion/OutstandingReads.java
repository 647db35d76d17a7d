// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The fused GETs of one connection that await their reply, searched for keys that a write is about
 * to change.
 *
 * <p>A nil in an MGET is checked with a second request, and by then this client may have written
 * the key. So the check is sent ahead of a write to such a key, on the same connection. The server
 * answers in order, so the check sees the state before the write.
 *
 * <p>Usually there is no such key, which costs one table look-up for each argument of a write.
 * Confined to the event loop of the connection.
 */
final class OutstandingReads {

  private static final int BUCKETS = 1_024;

  private final int[] keysInBucket = new int[BUCKETS];
  private final Deque<FusedGet> outstanding = new ArrayDeque<>();

  void add(FusedGet fused) {
    outstanding.add(fused);
    count(fused, 1);
  }

  void remove(FusedGet fused) {
    // Replies arrive in order, so it is the first one, except after a lost connection.
    if (outstanding.remove(fused)) {
      count(fused, -1);
    }
  }

  private void count(FusedGet fused, int change) {
    for (EncodedCommand<?, ?, ?> get : fused.reads()) {
      keysInBucket[bucket(get.itemHash())] += change;
    }
  }

  private static int bucket(int hash) {
    return hash & BUCKETS - 1;
  }

  /** The checks to send ahead of a write. */
  List<NilCheck> checksBefore(EncodedCommand<?, ?, ?> write) {
    if (outstanding.isEmpty()) {
      return List.of();
    }
    List<NilCheck> checks = new ArrayList<>(0);
    if (write.traits().writesAny()) {
      outstanding.forEach(fused -> collectAll(fused, checks));
      return checks;
    }
    byte[] request = write.request();
    write
        .traits()
        .forEachWrittenKey(
            request,
            (start, end) -> {
              int hash = RequestEncoder.hash(request, start, end);
              if (keysInBucket[bucket(hash)] > 0) {
                collect(hash, request, start, end, checks);
              }
            });
    return checks;
  }

  private static void collectAll(FusedGet fused, List<NilCheck> checks) {
    for (EncodedCommand<?, ?, ?> get : fused.reads()) {
      NilCheck check = fused.checkEarly(get);
      if (check != null) {
        checks.add(check);
      }
    }
  }

  private void collect(int hash, byte[] request, int start, int end, List<NilCheck> checks) {
    for (FusedGet fused : outstanding) {
      for (EncodedCommand<?, ?, ?> get : fused.reads()) {
        if (get.itemHash() == hash && get.isItem(request, start, end)) {
          NilCheck check = fused.checkEarly(get);
          if (check != null) {
            checks.add(check);
          }
        }
      }
    }
  }
}
