// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.SheafException;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.TransactionControl;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * The transaction of one connection in the order in which commands are written. It keeps the
 * transaction all or nothing.
 *
 * <p>The server keeps the state of a transaction with the socket. What follows a lost MULTI would
 * run at once on the next socket, and what follows a lost WATCH without its protection. A command
 * that was never sent would be missing in the reply to EXEC, so that the others would get each
 * other's results. And a command of another caller in between would be queued with them. So:
 *
 * <ul>
 *   <li>Commands whose MULTI was not written on this socket fail.
 *   <li>If the transaction is not complete, or its WATCH was lost, DISCARD is sent and EXEC fails.
 *   <li>A command that is not part of the transaction ends it.
 * </ul>
 *
 * <p>Confined to the one consumer of the queue.
 */
final class WrittenTransaction {

  private static final String NOTHING_RAN = "; nothing of the transaction was executed";

  /** The number of the transaction that is open on the socket, or NONE. */
  private int open = TransactionControl.NONE;

  /** The commands that were written since MULTI. */
  private List<EncodedCommand<?, ?, ?>> members = new ArrayList<>();

  /** The commands such as MULTI and EXEC that were written and may be unanswered, in order. */
  private final Deque<EncodedCommand<?, ?, ?>> controls = new ArrayDeque<>();

  /** Whether keys are watched. */
  private boolean watching;

  /** Whether they were watched on a socket that has been lost since. */
  private boolean watchLost;

  /** Whether MULTI was written, and neither EXEC nor DISCARD. */
  boolean isOpen() {
    return open != TransactionControl.NONE;
  }

  /**
   * Takes the next command: passes it on to be written, possibly behind a DISCARD, or fails it.
   * Commands that are done already need not be sent.
   */
  void take(EncodedCommand<?, ?, ?> command, Consumer<EncodedCommand<?, ?, ?>> writer) {
    if (command.isAbandoned()) {
      command.drop();
    } else if (command.isMember()) {
      takeMember(command, writer);
    } else if (command instanceof TransactionControl<?, ?, ?> control) {
      takeControl(control, writer);
    } else {
      if (isOpen()) {
        discard(writer);
      }
      writer.accept(command);
    }
  }

  private void takeMember(
      EncodedCommand<?, ?, ?> member, Consumer<EncodedCommand<?, ?, ?>> writer) {
    if (isOpen()) {
      members.add(member);
      writer.accept(member);
    } else {
      fail(member);
    }
  }

  /** Fails a command whose transaction is not open. */
  static void fail(EncodedCommand<?, ?, ?> command) {
    command.completeExceptionally(
        new ConnectionLostException(
            command.getType()
                + " was not sent: the connection was lost since MULTI, or MULTI failed"
                + NOTHING_RAN));
  }

  private void takeControl(
      TransactionControl<?, ?, ?> control, Consumer<EncodedCommand<?, ?, ?>> writer) {
    boolean ofOpen = isOpen() && control.number() == open;
    if (isOpen() && !ofOpen) {
      discard(writer);
    }
    if (control.traits().is(CommandType.EXEC)) {
      takeExec(control, ofOpen, writer);
      return;
    }
    if (control.traits().is(CommandType.MULTI)) {
      open = control.number();
    } else if (control.traits().is(CommandType.WATCH)) {
      watching |= !ofOpen; // The server refuses it inside a transaction.
    } else {
      end();
    }
    write(control, writer);
  }

  private void write(EncodedCommand<?, ?, ?> control, Consumer<EncodedCommand<?, ?, ?>> writer) {
    while (!controls.isEmpty() && controls.getFirst().isDone()) {
      controls.removeFirst();
    }
    controls.add(control);
    writer.accept(control);
  }

  private void takeExec(
      TransactionControl<?, ?, ?> exec, boolean ofOpen, Consumer<EncodedCommand<?, ?, ?>> writer) {
    List<EncodedCommand<?, ?, ?>> answered = members;
    boolean unguarded = watchLost;
    end();
    if (exec.number() == TransactionControl.NONE) {
      // Its caller has called no MULTI, and the server says so.
      write(exec, writer);
      return;
    }
    if (!ofOpen) {
      fail(exec);
      return;
    }
    exec.answers(answered);
    int missing = exec.members() - answered.size();
    if (missing == 0 && !unguarded) {
      write(exec, writer);
    } else {
      write(newDiscard(), writer);
      exec.completeExceptionally(unguarded ? withoutWatch() : incomplete(exec, missing));
    }
  }

  private static ConnectionLostException withoutWatch() {
    return new ConnectionLostException(
        "DISCARD was sent in place of EXEC: the connection was lost since WATCH, so the watched"
            + " keys may have changed"
            + NOTHING_RAN);
  }

  private static SheafException incomplete(TransactionControl<?, ?, ?> exec, int missing) {
    return new SheafException(
        "DISCARD was sent in place of EXEC: "
            + missing
            + " of the "
            + exec.members()
            + " commands of the transaction failed before they were sent"
            + NOTHING_RAN,
        exec.failure());
  }

  /** Ends a transaction that will have no EXEC. */
  private void discard(Consumer<EncodedCommand<?, ?, ?>> writer) {
    List<EncodedCommand<?, ?, ?>> left = members;
    end();
    write(newDiscard(), writer);
    failEach(
        left,
        new SheafException(
            "The transaction was discarded: its EXEC failed before it was sent, or another caller"
                + " used the connection. MULTI needs a client of its own"));
  }

  private static EncodedCommand<?, ?, ?> newDiscard() {
    return EncodedCommand.encode(
        new Command<>(CommandType.DISCARD, new StatusOutput<>(StringCodec.UTF8)), false);
  }

  private static void failEach(List<EncodedCommand<?, ?, ?>> members, SheafException failure) {
    members.forEach(member -> member.completeExceptionally(failure));
  }

  private void end() {
    open = TransactionControl.NONE;
    members = new ArrayList<>();
    watching = false;
    watchLost = false;
  }

  /** Ends what belonged to a socket that was lost. */
  void lost() {
    List<EncodedCommand<?, ?, ?>> left = members;
    boolean watched = watching;
    end();
    watchLost = watched;
    watching = watched;
    // Lettuce would write those again on the next socket that it could not write on this one.
    controls.forEach(
        control ->
            control.completeExceptionally(
                new OutcomeUnknownException(control.getType().toString())));
    controls.clear();
    failEach(
        left,
        new ConnectionLostException(
            "The connection was lost between MULTI and EXEC" + NOTHING_RAN));
  }
}
