// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.fusion.FusedRead;
import dev.sheaf.internal.fusion.NilCheck;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import java.net.SocketAddress;

/**
 * A latency recorder that records each command of a {@link Flight} separately. Lettuce, which knows
 * only the flight, calls it once for each reply, before the reply is delivered.
 */
final class FlightLatency implements CommandLatencyRecorder {

  private final CommandLatencyRecorder recorder;

  FlightLatency(CommandLatencyRecorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public boolean isEnabled() {
    return recorder.isEnabled();
  }

  @Override
  public void recordCommandLatency(
      SocketAddress local,
      SocketAddress remote,
      RedisCommand<?, ?, ?> command,
      long firstResponseLatency,
      long completionLatency) {
    Flight flight = Flight.in(command);
    if (flight == null) {
      recorder.recordCommandLatency(
          local, remote, command, firstResponseLatency, completionLatency);
      return;
    }
    long now = System.nanoTime();
    RedisCommand<?, ?, ?> part = flight.current();
    if (part instanceof EncodedCommand<?, ?, ?> single) {
      record(local, remote, single, flight, flight.sentNanos(), now);
    } else if (part instanceof FusedRead fused) {
      fused.forEachAnswered(read -> record(local, remote, read, flight, flight.sentNanos(), now));
    } else if (part instanceof NilCheck check && !check.read().isDone()) {
      record(local, remote, check.read(), flight, check.beganNanos(), now);
    }
  }

  private void record(
      SocketAddress local,
      SocketAddress remote,
      EncodedCommand<?, ?, ?> command,
      Flight flight,
      long sentNanos,
      long now) {
    if (ReplicationWait.isCopy(command.getDelegate())) {
      return;
    }
    recorder.recordCommandLatency(
        local,
        remote,
        command.getDelegate(),
        flight.firstReplyNanos() - sentNanos,
        now - sentNanos);
  }

  @Override
  public void recordCommandLatency(
      SocketAddress local,
      SocketAddress remote,
      ProtocolKeyword commandType,
      long firstResponseLatency,
      long completionLatency) {
    recorder.recordCommandLatency(
        local, remote, commandType, firstResponseLatency, completionLatency);
  }
}
