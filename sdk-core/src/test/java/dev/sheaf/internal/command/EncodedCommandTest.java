// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.internal.compression.CompressionEngine;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EncodedCommandTest {

  /**
   * Lettuce routes anew what waited for a node that left the cluster: as it would have travelled.
   */
  @Test
  void commandThatIsRoutedAnew_isNotCompressedTwice_andKeepsItsTime() {
    try (CompressionEngine engine =
        new CompressionEngine(CompressionOptions.defaults(), null, "client")) {
      String value = "compressible ".repeat(1_000);
      Command<String, String, String> set =
          new Command<>(
              CommandType.SET,
              new StatusOutput<>(StringCodec.UTF8),
              new CommandArgs<>(StringCodec.UTF8).addKey("key").addValue(value));
      EncodedCommand<String, String, String> first = EncodedCommand.encode(set, true, engine);
      first.calledBy(System.nanoTime() - TimeUnit.SECONDS.toNanos(10));
      EncodedCommand<String, String, String> again =
          EncodedCommand.encode(new CommandWrapper<>(first), true, engine);

      assertThat(first.requestBytes()).isLessThan(value.length() / 2);
      assertThat(bytesOf(again)).isEqualTo(bytesOf(first));
      assertThat(again.hasWaited(System.nanoTime(), TimeUnit.SECONDS.toNanos(9))).isTrue();
    }
  }

  /** The application's source of time-outs may throw when it is asked why a command is late. */
  @Test
  void lateCommand_ends_thoughItsReasonCannotBeFound() {
    AsyncCommand<String, String, String> ping =
        new AsyncCommand<>(new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.UTF8)));
    EncodedCommand<String, String, String> late = EncodedCommand.encode(ping, false);
    late.expiresBy(
        command -> {
          throw new IllegalStateException("no reason");
        });

    assertThat(late.completeExceptionally(new RedisCommandTimeoutException("late"))).isTrue();
    assertThat(ping.toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(RedisCommandTimeoutException.class);
  }

  private static byte[] bytesOf(RedisCommand<?, ?, ?> command) {
    ByteBuf buffer = Unpooled.buffer();
    command.encode(buffer);
    return ByteBufUtil.getBytes(buffer);
  }
}
