// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.protocol.DemandAware;
import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

/** A command whose reply is consumed piece by piece, so that its demand reaches the decoder. */
final class StreamingCommand<K, V, T> extends EncodedCommand<K, V, T> implements DemandAware.Sink {

  private final DemandAware.Sink sink;

  StreamingCommand(
      RedisCommand<K, V, T> command, boolean mayFuse, @Nullable CommandCompression compression) {
    super(command, mayFuse, compression);
    this.sink = (DemandAware.Sink) command;
  }

  @Override
  public boolean hasDemand() {
    return sink.hasDemand();
  }

  @Override
  public void setSource(DemandAware.Source source) {
    sink.setSource(source);
  }

  @Override
  public void removeSource() {
    sink.removeSource();
  }
}
