// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WriteClockTest {

  private final WriteClock clock = new WriteClock();
  private final int k = cell("k");

  @Test
  void write_movesTheCellOfItsKey_beforeItIsQueuedAndAfter() {
    clock.join();
    EncodedCommand<?, ?, ?> set = command(CommandType.SET, "k", "v");
    int written = clock.beforeQueueing(set, set);
    assertThat(clock.reading(k)).isEqualTo(1);
    clock.afterQueueing(written, set, set);
    assertThat(clock.reading(k)).isEqualTo(2);
    assertThat(clock.reading(cell("other"))).isZero();
    assertThat(clock.commonReading()).isZero();
  }

  /** The loop's reads stand before the write in the queue, so they are stale. */
  @Test
  void loopThatJoinsWhileAWriteIsQueued_isTold() {
    EncodedCommand<?, ?, ?> set = command(CommandType.SET, "k", "v");
    int written = clock.beforeQueueing(set, set);
    clock.join();
    clock.afterQueueing(written, set, set);
    assertThat(clock.reading(k)).isEqualTo(1);
    assertThat(clock.commonReading()).isZero();
  }

  @Test
  void chainOfWrites_isLookedThrough_andNotAfterItIsQueued() {
    clock.join();
    EncodedCommand<?, ?, ?> get = command(CommandType.GET, "x");
    EncodedCommand<?, ?, ?> set = command(CommandType.SET, "k", "v");
    get.linkTo(set);
    int written = clock.beforeQueueing(get, set);
    get.linkTo(null);
    clock.afterQueueing(written, get, set);
    assertThat(clock.reading(k)).isEqualTo(2);

    EncodedCommand<?, ?, ?> other = command(CommandType.SET, "other", "v");
    EncodedCommand<?, ?, ?> again = command(CommandType.SET, "k", "v");
    again.linkTo(other);
    clock.beforeQueueing(again, other);
    assertThat(clock.commonReading()).isEqualTo(1);
  }

  @Test
  void chainThatWasNotLookedAtInTime_mayHaveWrittenAnything() {
    EncodedCommand<?, ?, ?> get = command(CommandType.GET, "x");
    EncodedCommand<?, ?, ?> set = command(CommandType.SET, "k", "v");
    get.linkTo(set);
    int written = clock.beforeQueueing(get, set);
    clock.join();
    get.linkTo(null);
    clock.afterQueueing(written, get, set);
    assertThat(clock.commonReading()).isEqualTo(1);
  }

  @Test
  void readsAndIdleClocks_stand() {
    EncodedCommand<?, ?, ?> set = command(CommandType.SET, "k", "v");
    clock.afterQueueing(clock.beforeQueueing(set, set), set, set);
    clock.join();
    EncodedCommand<?, ?, ?> get = command(CommandType.GET, "k");
    clock.afterQueueing(clock.beforeQueueing(get, get), get, get);
    EncodedCommand<?, ?, ?> exists = command(CommandType.EXISTS, "k");
    clock.afterQueueing(clock.beforeQueueing(exists, exists), exists, exists);
    assertThat(clock.reading(k)).isZero();
    assertThat(clock.commonReading()).isZero();
    clock.leave();
    assertThat(clock.readers()).isZero();
  }

  @Test
  void commandWithoutItsKey_mayHaveWrittenAnything() {
    clock.join();
    EncodedCommand<?, ?, ?> bare = command(CommandType.SET);
    clock.beforeQueueing(bare, bare);
    assertThat(clock.commonReading()).isEqualTo(1);
  }

  private static int cell(String key) {
    byte[] bytes = ("$1\r\n" + key).getBytes(StandardCharsets.UTF_8);
    return WriteClock.cell(bytes, 4, bytes.length);
  }

  private static EncodedCommand<?, ?, ?> command(CommandType type, String... arguments) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (String argument : arguments) {
      args.addKey(argument);
    }
    return EncodedCommand.encode(
        new Command<>(type, new StatusOutput<>(StringCodec.UTF8), args), true);
  }
}
