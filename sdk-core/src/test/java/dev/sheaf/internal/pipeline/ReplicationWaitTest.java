// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.output.IntegerOutput;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicationWaitTest {

  @Test
  void replyToWait_isTheLeast() {
    IntegerOutput<String, String> reply = new IntegerOutput<>(StringCodec.UTF8);
    reply.set(2);
    ReplicationWait.lower(reply, 3L);
    assertThat(reply.get()).isEqualTo(2);
    ReplicationWait.lower(reply, 1L);
    assertThat(reply.get()).isEqualTo(1);
    ReplicationWait.lower(reply, null);
    assertThat(reply.get()).isEqualTo(1);
  }

  @Test
  void replyToWaitaof_isTheLeastOfEachNumber() {
    IntegerListOutput<String, String> reply = new IntegerListOutput<>(StringCodec.UTF8);
    reply.multi(2);
    reply.set(1);
    reply.set(2);
    ReplicationWait.lower(reply, List.of(0L, 3L));
    assertThat(reply.get()).containsExactly(0L, 2L);
  }
}
