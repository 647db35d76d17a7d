// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.common.PeriodicTask;
import dev.sheaf.internal.common.Timer;
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
 * Keeps commands in their order while the connection to their node is being opened: at first, and
 * when the cluster has got another node.
 *
 * <p>Lettuce chains such commands to the future of the connection, which runs them in no particular
 * order, and while it does, those that come later are written at once. So they wait here, one queue
 * for each node, and go on to Lettuce when it need not wait any more. If the connection cannot be
 * opened, they fail as Lettuce would fail them. The time they wait counts as theirs, and they are
 * bounded as the queue of a node is.
 *
 * <p>Once all masters are connected, it costs a command a look at one field. Thread-safe.
 */
final class UntilConnected<K, V> {

  /** How often is looked for commands that nobody waits for any more. */
  private static final long EXPIRY_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final CoalescingClusterConnection<K, V> connection;
  private final BatchingOptions limits;
  private final Consumer<RedisCommand<K, V, ?>> lettuce;

  private final Map<RedisClusterNode, HeldCommands<K, V>> waiting = new ConcurrentHashMap<>();

  /** The nodes that commands need not wait for. */
  private final Set<RedisClusterNode> connected = ConcurrentHashMap.newKeySet();

  private final PeriodicTask expiry =
      new PeriodicTask(this::afterOrClose, EXPIRY_INTERVAL_NANOS, this::expire);

  private volatile boolean allConnected;

  /** How often a change of the nodes has begun or ended: what was found out before is void. */
  private final AtomicInteger changes = new AtomicInteger();

  /** How many changes have begun and not ended: what is found out is void at once. */
  private final AtomicInteger changing = new AtomicInteger();

  /**
   * For one cluster connection.
   *
   * @param limits how many commands and bytes wait for a node at most; further ones fail
   * @param lettuce sends a command on
   */
  UntilConnected(
      CoalescingClusterConnection<K, V> connection,
      BatchingOptions limits,
      Consumer<RedisCommand<K, V, ?>> lettuce) {
    this.connection = connection;
    this.limits = limits;
    this.lettuce = lettuce;
  }

  /** Whether no command has to wait at present. */
  boolean isOver() {
    return allConnected;
  }

  /** From here to {@link #nodesChanged}, nobody may rely on what is known of the nodes. */
  void nodesChange() {
    changing.incrementAndGet();
    changes.incrementAndGet();
    forget();
  }

  /** The cluster may look different now. */
  void nodesChanged() {
    changes.incrementAndGet();
    forget();
    changing.decrementAndGet();
  }

  private void forget() {
    connected.clear();
    allConnected = false;
  }

  /** Whether commands for a node wait here, which others must not overtake. */
  boolean holdsFor(RedisClusterNode node) {
    return waiting.containsKey(node);
  }

  /**
   * Fails all that waits: once the client's threads have ended, nobody opens a connection, or tells
   * that it cannot be opened.
   */
  void close() {
    waiting.forEach(
        (node, held) -> release(node, held, new RedisException("Connection is closed")));
  }

  /** Holds a command back, if the connection to its node is being opened. */
  boolean holds(RedisCommand<K, V, ?> command) {
    int changesBefore = changes.get();
    RedisClusterNode node = masterOf(command);
    if (node == null || connected.contains(node)) {
      return false;
    }
    CompletableFuture<StatefulRedisConnection<K, V>> opened;
    try {
      opened = connection.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
    } catch (RuntimeException leftTheClusterOrClosed) {
      // Lettuce has the error that says so.
      return false;
    }
    if (opened.isDone() && !opened.isCompletedExceptionally() && !waiting.containsKey(node)) {
      connected(node, changesBefore);
      return false;
    }
    // One that has failed already is not left to Lettuce either, which would open another and chain
    // what comes to that.
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
      // Replicas are behind their primary anyway.
      return null;
    }
    return partitions.getPartitionBySlot(SlotHash.getSlot(key));
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
      HeldCommands<K, V> mine = new HeldCommands<>(node, limits, timeouts(), lettuce);
      held = waiting.putIfAbsent(node, mine);
      if (held == null) {
        mine.add(command);
        // Later than what a command that came before all this may have chained to the same future.
        opened.whenCompleteAsync((connected, failure) -> release(node, mine, failure), this::run);
        expiry.start();
        return true;
      }
    }
    return held.add(command) || holds(command);
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
    return connection.getResources().eventExecutorGroup();
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
