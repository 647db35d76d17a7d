package dev.sheaf;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Commands linked to each other on the calling thread, to enter a queue in one step. */
final class Chain {

  private @Nullable Outgoing<?, ?, ?> first;
  private @Nullable Outgoing<?, ?, ?> last;
  private int commands;
  private long bytes;

  void append(Outgoing<?, ?, ?> command) {
    if (last == null) {
      first = command;
    } else {
      last.next = command;
    }
    last = command;
    commands++;
    bytes += command.requestBytes();
  }

  boolean isEmpty() {
    return first == null;
  }

  Outgoing<?, ?, ?> first() {
    return Objects.requireNonNull(first);
  }

  Outgoing<?, ?, ?> last() {
    return Objects.requireNonNull(last);
  }

  int commands() {
    return commands;
  }

  long bytes() {
    return bytes;
  }
}
