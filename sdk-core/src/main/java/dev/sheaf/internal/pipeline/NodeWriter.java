// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.SheafException;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.command.RespRequest;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.observe.NodeSpans;
import dev.sheaf.internal.pipeline.PendingQueue.Chain;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.ConnectionFacade;
import io.lettuce.core.protocol.MaintenanceAwareComponent;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channel writer that Lettuce hands the commands for one node to. It encodes them on the
 * calling thread and passes them to the {@link NodePipeline}.
 *
 * <p>There is one for each node connection, below Lettuce's slot routing. So routing, redirects,
 * TLS and reconnects stay Lettuce's.
 *
 * <p>Thread-safe.
 */
public final class NodeWriter
    implements RedisChannelWriter, Delegating<RedisChannelWriter>, MaintenanceAwareComponent {

  private final RedisChannelWriter delegate;

  /** Notifies listeners of each command and then passes it back here; null without listeners. */
  private final @Nullable RedisChannelWriter listening;

  private final boolean cluster;
  private final CommandTimeouts timeouts;
  private final NodePipeline pipeline;
  private final TransactionCalls transaction = new TransactionCalls(System::nanoTime);

  /** Whether any command of a transaction has been called. */
  private volatile boolean usesTransactions;

  private final @Nullable CompressionEngine compression;

  /**
   * Creates a writer.
   *
   * @param lettuce the writer to decorate
   * @param listeners the client's command listeners. Lettuce's own writer for them is bypassed: it
   *     would report fused commands in place of those that were called
   */
  public NodeWriter(
      RedisChannelWriter lettuce,
      ClientContext context,
      boolean cluster,
      ClientOptions clientOptions,
      List<CommandListener> listeners) {
    this.delegate =
        lettuce instanceof CommandListenerWriter telling ? telling.getDelegate() : lettuce;
    this.listening =
        lettuce instanceof CommandListenerWriter
            ? new CommandListenerWriter(new Listened(this), listeners)
            : null;
    this.cluster = cluster;
    this.timeouts = new CommandTimeouts(clientOptions.getTimeoutOptions());
    this.compression = context.compression();
    this.pipeline = new NodePipeline(delegate, context, cluster, clientOptions, timeouts);
  }

  public NodePipeline pipeline() {
    return pipeline;
  }

  @Override
  public <K, V, T> RedisCommand<K, V, T> write(RedisCommand<K, V, T> command) {
    return listening == null ? writeListened(command) : listening.write(command);
  }

  /** Writes a command that listeners have been notified of. */
  <K, V, T> RedisCommand<K, V, T> writeListened(RedisCommand<K, V, T> command) {
    EncodedCommand<K, V, T> encoded = encode(command, true);
    if (encoded != null) {
      WriteScope scope = WriteScope.current();
      if (scope != null) {
        scope.hold(pipeline, encoded);
      } else {
        submit(encoded);
      }
    }
    return command;
  }

  /** Writes commands together and without fusing them: ASKING must precede its command. */
  @Override
  public <K, V> Collection<RedisCommand<K, V, ?>> write(
      Collection<? extends RedisCommand<K, V, ?>> commands) {
    return listening == null ? writeListened(commands) : listening.write(commands);
  }

  /** Writes commands that listeners have been notified of. */
  @SuppressWarnings("unchecked")
  <K, V> Collection<RedisCommand<K, V, ?>> writeListened(
      Collection<? extends RedisCommand<K, V, ?>> commands) {
    Chain chain = new Chain();
    for (RedisCommand<K, V, ?> command : commands) {
      EncodedCommand<K, V, ?> encoded = encode(command, false);
      if (encoded != null) {
        chain.append(encoded);
      }
    }
    WriteScope scope = WriteScope.current();
    if (scope != null && !chain.isEmpty()) {
      scope.hold(pipeline, chain);
    } else {
      Lanes.submit(pipeline, chain, (to, part) -> to.queue().submit(part));
    }
    return (Collection<RedisCommand<K, V, ?>>) commands;
  }

  private void submit(EncodedCommand<?, ?, ?> command) {
    Lanes lanes = pipeline.lanes();
    if (lanes == null) {
      pipeline.queue().submit(command);
    } else {
      lanes.enter(command).queue().submit(command);
    }
  }

  private <K, V, T> @Nullable EncodedCommand<K, V, T> encode(
      RedisCommand<K, V, T> command, boolean mayFuse) {
    ReplyActivity listener = pipeline.listener();
    String refusal = listener == null ? null : listener.refusal();
    if (refusal != null) {
      return refuse(command, refused(refusal));
    }
    NodeSpans spans = pipeline.spans();
    if (spans != null && EncodedCommand.in(command) == null) {
      spans.called(command);
    }
    CommandHolder.Tracked<?, ?, ?> tracked =
        CommandWrapper.unwrap(command, CommandHolder.Tracked.class);
    if (tracked != null) {
      pipeline.takes(tracked);
    }
    try {
      Lanes lanes = pipeline.lanes();
      EncodedCommand<K, V, T> encoded =
          EncodedCommand.encode(
              lanes == null ? command : lanes.everywhere(command), mayFuse, compression);
      if (encoded.traits().isUnshared()) {
        requireReplies(encoded);
      }
      if (usesTransactions || encoded.traits().isOfTransaction()) {
        usesTransactions = true;
        transaction.called(encoded);
      }
      if (lanes != null && !encoded.isFusible()) {
        lanes.observe(encoded);
      }
      return encoded;
    } catch (SheafException e) {
      return refuse(command, e);
    } catch (RuntimeException e) {
      return refuse(command, RequestEncoder.failure(command.getType(), e));
    }
  }

  private <K, V, T> @Nullable EncodedCommand<K, V, T> refuse(
      RedisCommand<K, V, T> command, RuntimeException why) {
    transaction.refused(command, why);
    command.completeExceptionally(why);
    return null;
  }

  /**
   * Rejects commands without a reply, such as CLIENT REPLY OFF and SUBSCRIBE, and those with
   * replies without end, such as MONITOR. Replies are matched to commands by their order, so one
   * that is missing or too many would shift all later ones.
   */
  private static void requireReplies(EncodedCommand<?, ?, ?> command) {
    String name = command.traits().name().replace('|', ' ');
    if (name.equals("CLIENT REPLY")) {
      RespRequest request = new RespRequest(command.request());
      if (!request.is(2, "OFF") && !request.is(2, "SKIP")) {
        return;
      }
      name += request.is(2, "OFF") ? " OFF" : " SKIP";
    }
    throw new SheafException(
        name
            + " cannot be sent on a connection that many callers share, as the replies to the"
            + " others would be mixed up; use a connection of your own");
  }

  private UnavailableException refused(String reason) {
    return new UnavailableException(
        "Not sent: the node is DOWN"
            + pipeline.reasons().byAddress().replace(" by ", ", ")
            + ": "
            + reason
            + "; AvailabilityOptions.failFastWhileDown has commands fail meanwhile");
  }

  @Override
  public void setAutoFlushCommands(boolean autoFlush) {
    pipeline.setAutoFlush(autoFlush);
  }

  @Override
  public void flushCommands() {
    pipeline.attend();
  }

  @Override
  public void close() {
    closeAsync().join();
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    if (cluster) {
      pipeline.handOver();
    }
    CompletableFuture<Void> closing = delegate.closeAsync();
    pipeline.close();
    return closing;
  }

  @Override
  public void setConnectionFacade(ConnectionFacade connection) {
    delegate.setConnectionFacade(connection);
  }

  @Override
  public ClientResources getClientResources() {
    return delegate.getClientResources();
  }

  @Override
  public RedisChannelWriter getDelegate() {
    return delegate;
  }

  /** Whether there are command listeners. */
  public boolean isListenedTo() {
    return listening != null;
  }

  /** Passes the connection's time-out on to Lettuce's expiry writer, which would not see it. */
  public void setTimeout(Duration timeout) {
    timeouts.setConnectionTimeout(timeout);
    if (delegate instanceof CommandExpiryWriter expiring) {
      expiring.setTimeout(timeout);
    }
  }

  @Override
  public void onMigrateStarted(String shards) {
    maintenance(component -> component.onMigrateStarted(shards));
  }

  @Override
  public void onMigrateCompleted(String shards) {
    maintenance(component -> component.onMigrateCompleted(shards));
  }

  @Override
  public void onFailoverStarted(String shards) {
    maintenance(component -> component.onFailoverStarted(shards));
  }

  @Override
  public void onFailoverCompleted(String shards) {
    maintenance(component -> component.onFailoverCompleted(shards));
  }

  @Override
  public void onRebindStarted(Duration time, SocketAddress endpoint) {
    maintenance(component -> component.onRebindStarted(time, endpoint));
  }

  @Override
  public void onRebindCompleted() {
    maintenance(MaintenanceAwareComponent::onRebindCompleted);
  }

  private void maintenance(Consumer<MaintenanceAwareComponent> event) {
    if (delegate instanceof MaintenanceAwareComponent component) {
      event.accept(component);
    }
  }
}
