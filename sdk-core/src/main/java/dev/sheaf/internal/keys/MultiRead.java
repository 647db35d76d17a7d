// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.Result;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A read of many keys with a command whose first argument is the key: one command for each, sent
 * together. Lettuce routes them.
 *
 * <p>Created and sent by one thread; completed by any.
 *
 * @param <O> the type of the command's output
 * @param <T> the type of its reply
 */
public final class MultiRead<K, V, O extends CommandOutput<K, V, T>, T>
    extends Outcomes<MultiRead<K, V, O, T>> implements KeyReads<T> {

  private final ReadRouter<K, V> router;
  private final ToLongFunction<? super O> size;
  private final List<Read> reads;
  private final int[] cells;

  /**
   * Prepares a read of each key, including repeated ones.
   *
   * @param output creates the output of one command
   * @param size returns the size of a reply from its output, in bytes
   * @param more adds the arguments after the key
   */
  public MultiRead(
      ReadRouter<K, V> router,
      CommandType type,
      List<? extends K> keys,
      Supplier<? extends O> output,
      ToLongFunction<? super O> size,
      Consumer<? super CommandArgs<K, V>> more) {
    this.router = router;
    this.size = size;
    this.reads = new ArrayList<>(keys.size());
    this.cells = new int[keys.size()];
    RedisCodec<K, V> codec = router.codec();
    begin(keys.size());
    for (K key : keys) {
      cells[reads.size()] = cellOf(codec, key);
      CommandArgs<K, V> args = new CommandArgs<>(codec).addKey(key);
      more.accept(args);
      reads.add(new Read(type, output.get(), args));
    }
  }

  private static <K> int cellOf(RedisCodec<K, ?> codec, K key) {
    try {
      return WriteClock.cellOf(codec, key);
    } catch (RuntimeException ofTheCodec) {
      return NO_CELL; // The command fails likewise when it is encoded.
    }
  }

  @Override
  public int cell(int index) {
    return cells[index];
  }

  @Override
  public void send() {
    WriteScope.join(
        () -> {
          for (Read read : reads) {
            try {
              router.connection().dispatch(read);
            } catch (RuntimeException e) {
              read.completeExceptionally(e);
            }
          }
        });
  }

  @Override
  public Outcomes<?> outcomes() {
    return this;
  }

  @Override
  MultiRead<K, V, O, T> all() {
    return this;
  }

  @Override
  public @Nullable Result<T> result(int index) {
    return reads.get(index).result();
  }

  @Override
  public long replyBytes() {
    long bytes = 0;
    for (Read read : reads) {
      bytes += size.applyAsLong(read.answer);
    }
    return bytes;
  }

  @Override
  List<Read> commands() {
    return reads;
  }

  /** The command of one key. */
  private final class Read extends KeyedCommand<K, V, T, T> {

    private final O answer;

    Read(CommandType type, O output, CommandArgs<K, V> args) {
      super(MultiRead.this, type, output, args);
      this.answer = output;
    }

    @Override
    Result<T> answered() {
      T reply = answer.get();
      return reply == null ? new Result.Absent<>() : new Result.Value<>(reply);
    }
  }
}
