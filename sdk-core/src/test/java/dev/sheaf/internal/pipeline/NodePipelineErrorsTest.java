// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.command.EncodedCommand;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What fails in an unforeseen way ends its own commands, and the queue keeps its consumer. */
class NodePipelineErrorsTest {

  @Test
  void errorOfAWrite_endsWhatWasWritten_andNothingAfterIt() {
    FailsOnce writer = new FailsOnce();
    NodePipeline pipeline = writer.pipeline();
    AsyncCommand<String, String, String> first =
        new AsyncCommand<>(new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.ASCII)));
    pipeline.queue().submit(EncodedCommand.encode(first, false));
    EncodedCommand<?, ?, ?> second = FakeWriter.ping();
    pipeline.queue().submit(second);
    assertThat(first)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(StackOverflowError.class);
    assertThat(writer.written).containsExactly(second);
    assertThat(pipeline.isIdle()).isTrue();
  }

  private static final class FailsOnce extends FakeWriter {

    final List<RedisCommand<?, ?, ?>> written = new ArrayList<>();
    private boolean failed;

    @Override
    void written(Collection<? extends RedisCommand<?, ?, ?>> commands) {
      if (!failed) {
        failed = true;
        throw new StackOverflowError("provoked");
      }
      written.addAll(commands);
    }
  }
}
