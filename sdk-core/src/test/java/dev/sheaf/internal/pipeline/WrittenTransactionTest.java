// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.SheafException;
import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.TransactionalCommand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Transactions against a server that keeps MULTI and WATCH with the socket, as Redis does. */
class WrittenTransactionTest {

  private static final int RUNS = 20_000;
  private static final int CALLS = 40;

  private long nanos = Long.MAX_VALUE - 1;

  private final TransactionCalls calls = new TransactionCalls(() -> nanos);
  private final WrittenTransaction written = new WrittenTransaction();
  private final List<EncodedCommand<?, ?, ?>> sent = new ArrayList<>();

  private static AsyncCommand<String, String, String> command(CommandType type, boolean member) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    if (type == CommandType.SET) {
      args.addKey("key").addValue("value");
    } else if (type == CommandType.GET || type == CommandType.WATCH) {
      args.addKey("key");
    }
    Command<String, String, String> plain =
        new Command<>(type, new StatusOutput<>(StringCodec.UTF8), args);
    return member ? new TransactionalCommand<>(plain) : new AsyncCommand<>(plain);
  }

  private EncodedCommand<String, String, String> call(CommandType type, boolean member) {
    EncodedCommand<String, String, String> encoded =
        EncodedCommand.encode(command(type, member), true);
    calls.called(encoded);
    return encoded;
  }

  private EncodedCommand<String, String, String> write(CommandType type, boolean member) {
    EncodedCommand<String, String, String> called = call(type, member);
    written.take(called, sent::add);
    return called;
  }

  private List<String> types() {
    return sent.stream().map(command -> command.getType().toString()).toList();
  }

  private static void assertFailed(EncodedCommand<?, ?, ?> command, String message) {
    AsyncCommand<?, ?, ?> future = (AsyncCommand<?, ?, ?>) command.getDelegate();
    assertThatThrownBy(() -> future.get(0, TimeUnit.SECONDS))
        .hasCauseInstanceOf(SheafException.class)
        .hasMessageContaining(message);
  }

  @Test
  void completeTransaction_isWrittenAsItIs() {
    write(CommandType.WATCH, false);
    write(CommandType.GET, false);
    write(CommandType.MULTI, false);
    write(CommandType.SET, true);
    write(CommandType.GET, true);
    write(CommandType.EXEC, false);
    assertThat(types()).containsExactly("WATCH", "GET", "MULTI", "SET", "GET", "EXEC");
    assertThat(written.isOpen()).isFalse();
  }

  @Test
  void execAndDiscardWithoutMulti_areLeftToTheServer() {
    write(CommandType.EXEC, false);
    write(CommandType.DISCARD, false);
    assertThat(types()).containsExactly("EXEC", "DISCARD");
  }

  /** One whose MULTI has failed meanwhile, so that its caller has begun none. */
  @Test
  void execThatIsOfNoTransaction_doesNotRunAnother() {
    write(CommandType.MULTI, false);
    EncodedCommand<?, ?, ?> member = write(CommandType.SET, true);
    call(CommandType.DISCARD, false);
    write(CommandType.EXEC, false);
    assertThat(types()).containsExactly("MULTI", "SET", "DISCARD", "EXEC");
    assertFailed(member, "another caller used the connection");
  }

  @Test
  void nestedMulti_isLeftToTheServer() {
    write(CommandType.MULTI, false);
    write(CommandType.SET, true);
    write(CommandType.MULTI, false);
    write(CommandType.SET, true);
    write(CommandType.EXEC, false);
    assertThat(types()).containsExactly("MULTI", "SET", "MULTI", "SET", "EXEC");
  }

  @Test
  void commandOfAnotherCaller_isNotQueuedWithTheTransaction() {
    // Called before MULTI, and queued behind it.
    EncodedCommand<?, ?, ?> other = call(CommandType.GET, false);
    write(CommandType.MULTI, false);
    EncodedCommand<?, ?, ?> member = write(CommandType.SET, true);
    written.take(other, sent::add);
    EncodedCommand<?, ?, ?> exec = write(CommandType.EXEC, false);
    assertThat(types()).containsExactly("MULTI", "SET", "DISCARD", "GET");
    assertFailed(member, "another caller used the connection");
    assertThat(other.isDone()).isFalse();
    assertFailed(exec, "nothing of the transaction was executed");
  }

  @Test
  void multiBehindAnExecThatWasNeverWritten_beginsAnotherTransaction() {
    write(CommandType.MULTI, false);
    write(CommandType.SET, true);
    call(CommandType.EXEC, false);
    write(CommandType.MULTI, false);
    write(CommandType.GET, true);
    write(CommandType.EXEC, false);
    assertThat(types()).containsExactly("MULTI", "SET", "DISCARD", "MULTI", "GET", "EXEC");
  }

  @Test
  void unwatchAndDiscard_endWhatALostWatchProtects() {
    for (CommandType end : List.of(CommandType.UNWATCH, CommandType.DISCARD)) {
      sent.clear();
      write(CommandType.WATCH, false);
      written.lost();
      write(end, false);
      write(CommandType.MULTI, false);
      write(CommandType.SET, true);
      write(CommandType.EXEC, false);
      assertThat(types()).containsExactly("WATCH", end.toString(), "MULTI", "SET", "EXEC");
    }
  }

  /** Lettuce would write it again on the next socket, if it could not be written. */
  @Test
  void controlThatIsUnansweredWhenTheSocketIsLost_fails() {
    EncodedCommand<?, ?, ?> answered = write(CommandType.WATCH, false);
    answered.complete();
    EncodedCommand<?, ?, ?> multi = write(CommandType.MULTI, false);
    EncodedCommand<?, ?, ?> member = write(CommandType.SET, true);
    EncodedCommand<?, ?, ?> exec = write(CommandType.EXEC, false);
    written.lost();
    for (EncodedCommand<?, ?, ?> each : List.of(multi, member, exec)) {
      assertFailed(each, "whether it ran is unknown");
    }
    assertThat(((AsyncCommand<?, ?, ?>) answered.getDelegate())).isCompleted();
  }

  /** Also if Lettuce has forgotten them because an earlier MULTI failed late. */
  @Test
  void replyToExec_hasTheResultsOfTheCommandsThatWereWritten() {
    write(CommandType.MULTI, false);
    List<EncodedCommand<?, ?, ?>> members =
        List.of(write(CommandType.SET, true), write(CommandType.GET, true));
    members.forEach(EncodedCommand::complete); // QUEUED
    EncodedCommand<?, ?, ?> exec = write(CommandType.EXEC, false);
    CommandOutput<?, ?, ?> output = exec.getOutput();
    output.multi(members.size());
    for (String value : List.of("OK", "value")) {
      output.set(StringCodec.UTF8.encodeValue(value));
      output.complete(1);
    }
    output.complete(0);
    TransactionResult result = (TransactionResult) output.get();
    assertThat(result.stream().toList()).isEqualTo(List.of("OK", "value"));
    assertThat(members)
        .allSatisfy(
            member -> assertThat((AsyncCommand<?, ?, ?>) member.getDelegate()).isCompleted());
  }

  private void assertStranger(EncodedCommand<?, ?, ?> command) {
    assertThatThrownBy(() -> calls.called(command))
        .isInstanceOf(SheafException.class)
        .hasMessageContaining("between MULTI and EXEC");
  }

  @Test
  void commandThatLettuceDidNotMark_isRejectedUntilTheCallerKnowsThatMultiFailed() {
    EncodedCommand<?, ?, ?> multi = write(CommandType.MULTI, false);
    EncodedCommand<?, ?, ?> get = EncodedCommand.encode(command(CommandType.GET, false), true);
    assertStranger(get);
    multi.completeExceptionally(new SheafException("lost"));
    assertStranger(get);
    nanos += TransactionCalls.UNAWARE_NANOS - 1;
    assertStranger(get);
    nanos++;
    calls.called(get);
    write(CommandType.MULTI, false);
    assertStranger(get);
    // It is one that EXEC does not answer.
    assertFailed(write(CommandType.EXEC, false), "1 of the 1 commands");
    calls.called(get);
  }

  @Test
  void multiAfterOneThatFailed_isNotNested() {
    write(CommandType.MULTI, false);
    write(CommandType.SET, true);
    sent.get(0).completeExceptionally(new SheafException("lost"));
    written.lost();
    sent.clear();
    write(CommandType.MULTI, false);
    write(CommandType.SET, true);
    write(CommandType.EXEC, false);
    assertThat(types()).containsExactly("MULTI", "SET", "EXEC");
  }

  /** A server with one socket at a time. */
  private static final class Server {

    private final Set<EncodedCommand<?, ?, ?>> executed = new HashSet<>();
    private final List<EncodedCommand<?, ?, ?>> queued = new ArrayList<>();
    private boolean multi;
    private boolean watched;

    void receive(EncodedCommand<?, ?, ?> command) {
      String type = command.getType().toString();
      switch (type) {
        case "MULTI" -> multi = true;
        case "WATCH" -> watched = true;
        case "UNWATCH" -> watched = false;
        case "DISCARD" -> reset();
        case "EXEC" -> {
          if (multi) {
            executed.addAll(queued);
            executed.add(command);
          }
          reset();
        }
        default -> {
          assertThat(command.isMember()).as(type).isEqualTo(multi);
          (multi ? queued : executed).add(command);
        }
      }
    }

    void reset() {
      queued.clear();
      multi = false;
      watched = false;
    }
  }

  /** Calls, in any order, that are refused, cancelled or lost at any time. */
  @Test
  void whateverIsLost_transactionsAreAllOrNothing() {
    SplittableRandom random = new SplittableRandom(42);
    int committed = 0;
    int failed = 0;
    for (int run = 0; run < RUNS; run++) {
      int[] outcome = new RandomRun(random).run();
      committed += outcome[0];
      failed += outcome[1];
    }
    assertThat(committed).isGreaterThan(RUNS / 10);
    assertThat(failed).isGreaterThan(RUNS / 10);
  }

  private static final class RandomRun {

    private final SplittableRandom random;
    private final TransactionCalls calls = new TransactionCalls(() -> 0);
    private final WrittenTransaction written = new WrittenTransaction();
    private final Server server = new Server();

    /** Of the current transaction, by its caller; null outside of one. */
    private List<EncodedCommand<?, ?, ?>> members = null;

    private boolean watching;
    private boolean watchLost;
    private int committed;
    private int failed;

    RandomRun(SplittableRandom random) {
      this.random = random;
    }

    int[] run() {
      for (int i = 0; i < CALLS; i++) {
        if (random.nextInt(30) == 0) {
          server.reset();
          written.lost();
          watchLost |= watching;
        }
        step();
      }
      return new int[] {committed, failed};
    }

    private void step() {
      if (members == null) {
        switch (random.nextInt(4)) {
          case 0 -> {
            if (send(CommandType.WATCH, false) != null) {
              watching = true;
            }
          }
          case 1 -> send(CommandType.GET, false);
          default -> {
            members = new ArrayList<>();
            send(CommandType.MULTI, false);
          }
        }
        return;
      }
      switch (random.nextInt(8)) {
        case 0 -> {
          send(CommandType.DISCARD, false);
          assertThat(members).noneMatch(server.executed::contains);
          end();
        }
        case 1, 2 -> exec();
        default -> {
          EncodedCommand<?, ?, ?> member = send(CommandType.SET, true);
          members.add(
              member == null
                  ? EncodedCommand.encode(command(CommandType.SET, true), true)
                  : member);
        }
      }
    }

    private void exec() {
      boolean unprotected = watchLost;
      EncodedCommand<?, ?, ?> exec = send(CommandType.EXEC, false);
      if (exec != null && server.executed.contains(exec)) {
        assertThat(unprotected).isFalse();
        assertThat(server.executed).containsAll(members);
        committed++;
      } else {
        assertThat(members).noneMatch(server.executed::contains);
        assertThat(exec == null || exec.isDone()).isTrue();
        failed++;
      }
      end();
    }

    private void end() {
      members = null;
      watching = false;
      watchLost = false;
    }

    /** Returns the command if it was written, or null. */
    private EncodedCommand<?, ?, ?> send(CommandType type, boolean member) {
      AsyncCommand<String, String, String> command = command(type, member);
      int fate = random.nextInt(25);
      if (fate == 0) {
        SheafException why = new SheafException("refused");
        calls.refused(command, why);
        command.completeExceptionally(why);
        return null;
      }
      EncodedCommand<?, ?, ?> encoded = EncodedCommand.encode(command, true);
      calls.called(encoded);
      if (fate == 1) {
        return null; // There was no room for it.
      }
      if (fate == 2) {
        command.cancel(true);
      }
      written.take(encoded, server::receive);
      return fate == 2 ? null : encoded;
    }
  }
}
