// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.protocol.ConnectionFacade;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/**
 * The delegate of Lettuce's writer for listeners: passes commands back to the {@link NodeWriter}.
 */
final class Listened implements RedisChannelWriter {

  private final NodeWriter writer;

  Listened(NodeWriter writer) {
    this.writer = writer;
  }

  @Override
  public <K, V, T> RedisCommand<K, V, T> write(RedisCommand<K, V, T> command) {
    return writer.writeListened(command);
  }

  @Override
  public <K, V> Collection<RedisCommand<K, V, ?>> write(
      Collection<? extends RedisCommand<K, V, ?>> commands) {
    return writer.writeListened(commands);
  }

  @Override
  public void close() {
    writer.close();
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    return writer.closeAsync();
  }

  @Override
  public ClientResources getClientResources() {
    return writer.getClientResources();
  }

  @Override
  public void setConnectionFacade(ConnectionFacade connection) {
    writer.setConnectionFacade(connection);
  }

  @Override
  public void setAutoFlushCommands(boolean autoFlush) {
    writer.setAutoFlushCommands(autoFlush);
  }

  @Override
  public void flushCommands() {
    writer.flushCommands();
  }
}
