// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import dev.sheaf.SheafException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Commands linked to each other on the calling thread, to enter a queue in one step. */
public final class Chain {

  private @Nullable EncodedCommand<?, ?, ?> first;
  private @Nullable EncodedCommand<?, ?, ?> last;
  private int commands;
  private long bytes;

  public void append(EncodedCommand<?, ?, ?> command) {
    if (last == null) {
      first = command;
    } else {
      last.linkTo(command);
    }
    last = command;
    commands++;
    bytes += command.requestBytes();
  }

  /**
   * Appends the commands of another chain, which is spent then.
   *
   * @param awaited whether their caller blocks until they are done
   */
  public void appendAll(Chain other, boolean awaited) {
    EncodedCommand<?, ?, ?> command = other.first;
    while (command != null) {
      EncodedCommand<?, ?, ?> following = command.next;
      if (awaited) {
        command.awaitedByCaller();
      }
      append(command);
      command = following;
    }
  }

  public boolean isEmpty() {
    return first == null;
  }

  public EncodedCommand<?, ?, ?> first() {
    return Objects.requireNonNull(first);
  }

  public EncodedCommand<?, ?, ?> last() {
    return Objects.requireNonNull(last);
  }

  /** Whether all only read, and leave their connection as it is. */
  public boolean areReads() {
    for (EncodedCommand<?, ?, ?> command = first; command != null; command = command.next) {
      if (command.travelsAlone() || !command.traits().isRepeatable()) {
        return false;
      }
    }
    return true;
  }

  /** Takes note of where the commands were counted. */
  public void countedIn(CallerOrder order, int cell) {
    for (EncodedCommand<?, ?, ?> command = first; command != null; command = command.next) {
      command.countedIn(order, cell);
    }
  }

  /** Counts the commands no more, which are not sent after all. */
  public void forget() {
    for (EncodedCommand<?, ?, ?> command = first; command != null; command = command.next) {
      command.ended();
    }
  }

  public int commands() {
    return commands;
  }

  public long bytes() {
    return bytes;
  }

  /** Takes note that the commands were called no later than that, by System.nanoTime. */
  public void calledBy(long nanos) {
    EncodedCommand<?, ?, ?> command = first;
    while (command != null) {
      command.calledBy(nanos);
      command = command.next;
    }
  }

  /** Fails linked commands, of which this is the first. */
  public static void fail(EncodedCommand<?, ?, ?> first, SheafException failure) {
    EncodedCommand<?, ?, ?> command = first;
    while (command != null) {
      EncodedCommand<?, ?, ?> next = command.next;
      command.completeExceptionally(failure);
      command = next;
    }
  }

  /** The same commands in chains of a limited length. This chain is spent then. */
  public List<Chain> slices(int maxCommands) {
    if (commands <= maxCommands) {
      return isEmpty() ? List.of() : List.of(this);
    }
    List<Chain> slices = new ArrayList<>();
    Chain slice = new Chain();
    EncodedCommand<?, ?, ?> command = first;
    while (command != null) {
      EncodedCommand<?, ?, ?> next = command.next;
      command.linkTo(null);
      slice.append(command);
      if (slice.commands == maxCommands) {
        slices.add(slice);
        slice = new Chain();
      }
      command = next;
    }
    if (!slice.isEmpty()) {
      slices.add(slice);
    }
    return slices;
  }
}
