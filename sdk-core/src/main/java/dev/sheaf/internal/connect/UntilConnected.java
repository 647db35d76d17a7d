// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.common.PeriodicTask;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.CommandTimeouts;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps commands in order while the connection to their node is being opened: at the start, and
 * after a node has joined the cluster.
 *
 * <p>Lettuce chains such commands to the future of the connection, which runs them in no particular
 * order, and later commands can overtake them. So commands wait here, in one queue for each node,
 * and are passed on to Lettuce once the connection is open. If it cannot be opened, they fail with
 * Lettuce's error. Their waiting counts towards their time-out, and the queues have the limits of a
 * node's queue.
 *
 * <p>Once all primaries are connected, the cost is one field read per command. Thread-safe.
 */
final class UntilConnected<K, V> {

  /** How often time-outs are checked. */
  private static final long EXPIRY_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final CoalescingClusterConnection<K, V> connection;
  private final ClientContext context;
  private final Consumer<RedisCommand<K, V, ?>> lettuce;

  private final Map<RedisClusterNode, HeldCommands<K, V>> waiting = new ConcurrentHashMap<>();

  /** The nodes that are connected. */
  private final Set<RedisClusterNode> connected = ConcurrentHashMap.newKeySet();

  private final PeriodicTask expiry =
      new PeriodicTask(this::afterOrClose, EXPIRY_INTERVAL_NANOS, this::expire);

  private volatile boolean allConnected;

  /** Counts the starts and ends of topology changes, which invalidate earlier findings. */
  private final AtomicInteger changes = new AtomicInteger();

  /** How many topology changes are under way, during which findings are invalid at once. */
  private final AtomicInteger changing = new AtomicInteger();

  /**
   * For one cluster connection.
   *
   * @param context has the limits of what waits for a node
   * @param lettuce passes a command on to Lettuce
   */
  UntilConnected(
      CoalescingClusterConnection<K, V> connection,
      ClientContext context,
      Consumer<RedisCommand<K, V, ?>> lettuce) {
    this.connection = connection;
    this.context = context;
    this.lettuce = lettuce;
  }

  /** Whether all primaries are connected, so that no command has to wait. */
  boolean isOver() {
    return allConnected;
  }

  /**
   * Starts a topology change, which {@link #nodesChanged} ends. Findings are invalid until then.
   */
  void nodesChange() {
    changing.incrementAndGet();
    changes.incrementAndGet();
    forget();
  }

  /** Ends a topology change. */
  void nodesChanged() {
    changes.incrementAndGet();
    forget();
    changing.decrementAndGet();
  }

  private void forget() {
    connected.clear();
    allConnected = false;
  }

  /** Whether commands for a node wait here and must not be overtaken. */
  boolean holdsFor(RedisClusterNode node) {
    return waiting.containsKey(node);
  }

  /**
   * Fails all waiting commands: once the client's threads have ended, no connection is opened and
   * no failure is reported.
   */
  void close() {
    waiting.forEach(
        (node, held) -> release(node, held, new RedisException("Connection is closed")));
  }

  /** Queues a command if the connection to its node is being opened; false if it need not wait. */
  boolean holdIfConnecting(RedisCommand<K, V, ?> command) {
    int changesBefore = changes.get();
    RedisClusterNode node = masterOf(command);
    if (node == null || connected.contains(node)) {
      return false;
    }
    CompletableFuture<StatefulRedisConnection<K, V>> opened;
    try {
      opened = connection.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
    } catch (RuntimeException leftTheClusterOrClosed) {
      // Lettuce reports that itself.
      return false;
    }
    if (opened.isDone() && !opened.isCompletedExceptionally() && !waiting.containsKey(node)) {
      connected(node, changesBefore);
      return false;
    }
    // If opening has failed already, the command waits here too: Lettuce would open another one and
    // chain commands to that.
    return add(node, opened, command);
  }

  private @Nullable RedisClusterNode masterOf(RedisCommand<K, V, ?> command) {
    CommandArgs<K, V> args = command.getArgs();
    ByteBuffer key = args == null ? null : args.getFirstEncodedKey();
    Partitions partitions = connection.getPartitions();
    ClientOptions options = connection.getOptions();
    if (key == null || partitions == null || rejectsMeanwhile(options)) {
      return null;
    }
    if (!CoalescingClusterConnection.readsPrimaries(connection)
        && options.getReadOnlyCommands().isReadOnly(command)) {
      // Reads from replicas have no order with writes anyway.
      return null;
    }
    return partitions.getMasterBySlot(SlotHash.getSlot(key));
  }

  private static boolean rejectsMeanwhile(ClientOptions options) {
    return options.getDisconnectedBehavior() == ClientOptions.DisconnectedBehavior.REJECT_COMMANDS;
  }

  private boolean add(
      RedisClusterNode node,
      CompletableFuture<StatefulRedisConnection<K, V>> opened,
      RedisCommand<K, V, ?> command) {
    HeldCommands<K, V> held = waiting.get(node);
    if (held == null) {
      HeldCommands<K, V> mine =
          new HeldCommands<>(node, context.batching(), timeouts(), context.meters(), lettuce);
      // Later it might have to wait for room, which nobody would release before the lines below.
      mine.begin(command);
      held = waiting.putIfAbsent(node, mine);
      if (held == null) {
        mine.track(command);
        // After all commands that Lettuce chained to the same future before.
        opened.whenCompleteAsync((connected, failure) -> release(node, mine, failure), this::run);
        expiry.start();
        return true;
      }
    }
    return held.add(command) || holdIfConnecting(command);
  }

  private CommandTimeouts timeouts() {
    CommandTimeouts timeouts = new CommandTimeouts(connection.getOptions().getTimeoutOptions());
    timeouts.setConnectionTimeout(connection.getTimeout());
    return timeouts;
  }

  private void release(
      RedisClusterNode node, HeldCommands<K, V> held, @Nullable Throwable failure) {
    held.release(failure, () -> waiting.remove(node, held));
  }

  private void run(Runnable task) {
    try {
      executors().execute(task);
    } catch (RejectedExecutionException shutDown) {
      task.run();
    }
  }

  private boolean expire() {
    waiting.values().forEach(HeldCommands::expire);
    return !waiting.isEmpty();
  }

  private boolean afterOrClose(Runnable task, long nanos) {
    boolean willRun = Timer.on(this::executors).after(task, nanos);
    if (!willRun) {
      close();
    }
    return willRun;
  }

  private EventExecutorGroup executors() {
    return ClientThreads.of(connection.getResources());
  }

  private void connected(RedisClusterNode node, int changesBefore) {
    if (haveChangedSince(changesBefore)) {
      return;
    }
    connected.add(node);
    if (areAllConnected()) {
      allConnected = true;
    }
    if (haveChangedSince(changesBefore)) {
      forget();
    }
  }

  private boolean haveChangedSince(int changesBefore) {
    return changing.get() > 0 || changes.get() != changesBefore;
  }

  private boolean areAllConnected() {
    for (RedisClusterNode each : connection.getPartitions()) {
      if (each.is(RedisClusterNode.NodeFlag.UPSTREAM)
          && !each.getSlots().isEmpty()
          && !connected.contains(each)) {
        return false;
      }
    }
    return true;
  }
}
