// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.Failures;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A WAIT or WAITAOF that is sent on several connections to one server. Each answers for its own
 * writes, so the reply is the least of all. It fails if one of them fails.
 */
final class ReplicationWait<K, V, T> extends CommandWrapper<K, V, T> {

  private final List<Copy> elsewhere = new ArrayList<>();

  private ReplicationWait(RedisCommand<K, V, T> command) {
    super(command);
  }

  /**
   * Sends copies of a command.
   *
   * @param others the queues of the connections beside the one that will carry the command itself
   * @return what to send there
   */
  static <K, V, T> RedisCommand<K, V, T> on(
      List<PendingQueue> others, RedisCommand<K, V, T> command) {
    ReplicationWait<K, V, T> waiting = new ReplicationWait<>(command);
    for (PendingQueue other : others) {
      Copy copy = copyOf(command);
      waiting.elsewhere.add(copy);
      other.submit(EncodedCommand.encode(copy, false));
    }
    return waiting;
  }

  /** The arguments are numbers, which every codec encodes alike. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Copy copyOf(RedisCommand<?, ?, ?> command) {
    CommandOutput<String, String, ?> output =
        CommandTraits.of(command.getType()).is(CommandType.WAIT)
            ? new IntegerOutput<>(StringCodec.UTF8)
            : new IntegerListOutput<>(StringCodec.UTF8);
    return new Copy(new Command(command.getType(), output, (CommandArgs) command.getArgs()));
  }

  /** Whether a command is a copy, which the application has not called. */
  static boolean isCopy(RedisCommand<?, ?, ?> command) {
    return command instanceof Copy;
  }

  private static final class Copy extends AsyncCommand<String, String, Object> {
    Copy(RedisCommand<String, String, Object> command) {
      super(command);
    }
  }

  /** Called when this connection has answered. */
  @Override
  public void complete() {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(elsewhere.toArray(CompletableFuture[]::new));
    all.whenComplete(
        (nothing, failure) -> {
          if (failure != null) {
            completeExceptionally(Failures.cause(failure));
          } else {
            elsewhere.forEach(copy -> lower(getOutput(), copy.getOutput().get()));
            super.complete();
          }
        });
  }

  /** Lowers a reply to another one where that is less. */
  @SuppressWarnings("unchecked") // Replies of these commands are numbers.
  static void lower(@Nullable CommandOutput<?, ?, ?> output, @Nullable Object other) {
    if (output == null) {
      return;
    }
    Object own = output.get();
    if (own instanceof Long count && other instanceof Long least) {
      output.set(Math.min(count, least));
    } else if (own instanceof List<?> counts && other instanceof List<?> least) {
      for (int i = 0; i < Math.min(counts.size(), least.size()); i++) {
        if (counts.get(i) instanceof Long count && least.get(i) instanceof Long less) {
          ((List<Object>) counts).set(i, Math.min(count, less));
        }
      }
    }
  }
}
