package dev.sheaf;

import io.lettuce.core.protocol.RedisCommand;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * What each new socket of a node is sent ahead of everything else, so that what follows can rely on
 * it. Thread-safe.
 */
final class FirstOnSocket {

  private volatile Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands = List::of;

  /** Sets what makes the commands, anew for each socket; their outcomes are its own affair. */
  void comesFrom(Supplier<? extends List<? extends RedisCommand<?, ?, ?>>> commands) {
    this.commands = commands;
  }

  /** Puts the commands to the front, in their order. */
  void addTo(Deque<Outgoing<?, ?, ?>> front) {
    List<? extends RedisCommand<?, ?, ?>> first = commands.get();
    for (int i = first.size() - 1; i >= 0; i--) {
      front.addFirst(Outgoing.encode(first.get(i), false));
    }
  }
}
