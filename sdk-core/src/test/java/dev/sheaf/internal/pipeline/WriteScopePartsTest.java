// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.Limits;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What a blocking call sends early, because it is large, before it has written all commands. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WriteScopePartsTest {

  private final Writes writer = new Writes();
  private final NodePipeline pipeline = writer.pipeline();

  @Test
  void partEnds_asSoonAsItIsLargeEnough() throws Exception {
    inParts(
        scope -> {
          scope.hold(pipeline, oneByteLessThanAPart());
          assertThat(writer.types).isEmpty();
          scope.hold(pipeline, set(100));
          assertThat(writer.types).hasSize(2);
        });
  }

  @Test
  void partDoesNotEnd_betweenAskingAndItsCommand() throws Exception {
    inParts(
        scope -> {
          scope.hold(pipeline, oneByteLessThanAPart());
          PendingQueue.Chain redirected = new PendingQueue.Chain();
          redirected.append(encoded(CommandType.ASKING, null));
          redirected.append(set(100));
          scope.hold(pipeline, redirected);
        });
    assertThat(writer.types)
        .containsExactly(List.of(CommandType.SET), List.of(CommandType.ASKING, CommandType.SET));
  }

  private static void inParts(Consumer<WriteScope> writes) throws Exception {
    WriteScope.call(
        new AtomicInteger(),
        Duration.ofSeconds(1),
        () -> {
          WriteScope.trackParts();
          try {
            writes.accept(Objects.requireNonNull(WriteScope.current()));
          } finally {
            WriteScope.trackNoParts();
          }
          return "";
        });
  }

  private static EncodedCommand<?, ?, ?> oneByteLessThanAPart() {
    int bytes = Limits.BYTES_PER_SLICE - 1;
    int besideTheValue = set(bytes).requestBytes() - bytes;
    EncodedCommand<?, ?, ?> command = set(bytes - besideTheValue);
    assertThat(command.requestBytes()).isEqualTo(bytes);
    return command;
  }

  private static EncodedCommand<?, ?, ?> set(int valueBytes) {
    return encoded(
        CommandType.SET,
        new CommandArgs<>(StringCodec.ASCII).addKey("key").addValue("x".repeat(valueBytes)));
  }

  private static EncodedCommand<?, ?, ?> encoded(
      CommandType type, @Nullable CommandArgs<String, String> arguments) {
    return EncodedCommand.encode(
        new Command<>(type, new StatusOutput<>(StringCodec.ASCII), arguments), false);
  }

  /** Records the types of the commands of each write. */
  private static final class Writes extends FakeWriter {

    final List<List<ProtocolKeyword>> types = new ArrayList<>();

    @Override
    void written(Collection<? extends RedisCommand<?, ?, ?>> commands) {
      List<ProtocolKeyword> types = new ArrayList<>();
      commands.forEach(command -> types.add(command.getType()));
      this.types.add(types);
    }
  }
}
