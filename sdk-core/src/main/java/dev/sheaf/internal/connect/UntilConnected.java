package dev.sheaf.internal.connect;

import dev.sheaf.QueueFullException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.RedisCommand;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
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
 * opened, they fail as Lettuce would fail them.
 *
 * <p>Once all masters are connected, it costs a command a look at one field. Thread-safe.
 */
final class UntilConnected<K, V> {

  private final CoalescingClusterConnection<K, V> connection;
  private final int maxHeldCommands;
  private final Consumer<RedisCommand<K, V, ?>> lettuce;

  private final Map<RedisClusterNode, Held<K, V>> waiting = new ConcurrentHashMap<>();

  /** The nodes that commands need not wait for. */
  private final Set<RedisClusterNode> connected = ConcurrentHashMap.newKeySet();

  private volatile boolean allConnected;

  /** How often the nodes have changed: what was found out before is void. */
  private final AtomicInteger changes = new AtomicInteger();

  /** What waits for one node, in order. */
  private static final class Held<K, V> {

    private final Queue<RedisCommand<K, V, ?>> commands = new ArrayDeque<>();

    /** Whether it has been emptied for good, so that nobody may be added. */
    private boolean over;
  }

  /**
   * For one cluster connection.
   *
   * @param maxHeldCommands how many wait for a node at most; further ones fail
   * @param lettuce sends a command on
   */
  UntilConnected(
      CoalescingClusterConnection<K, V> connection,
      int maxHeldCommands,
      Consumer<RedisCommand<K, V, ?>> lettuce) {
    this.connection = connection;
    this.maxHeldCommands = maxHeldCommands;
    this.lettuce = lettuce;
  }

  /** Whether no command has to wait at present. */
  boolean isOver() {
    return allConnected;
  }

  /** The cluster looks different now: what was known of its nodes is void. */
  void nodesChanged() {
    changes.incrementAndGet();
    connected.clear();
    allConnected = false;
  }

  /** Whether commands for a node wait here, which others must not overtake. */
  boolean holdsFor(RedisClusterNode node) {
    return waiting.containsKey(node);
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
    if (opened.isDone() && !waiting.containsKey(node)) {
      if (!opened.isCompletedExceptionally()) {
        connected(node, changesBefore);
      }
      return false;
    }
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
    Held<K, V> mine = new Held<>();
    Held<K, V> held = waiting.putIfAbsent(node, mine);
    boolean first = held == null;
    if (held == null) {
      held = mine;
    }
    boolean full;
    synchronized (held) {
      if (held.over) {
        return false;
      }
      full = held.commands.size() >= maxHeldCommands;
      if (!full) {
        held.commands.add(command);
      }
    }
    if (full) {
      command.completeExceptionally(refusal(node));
    }
    if (first) {
      // Later than what a command that came before all this may have chained to the same future.
      opened.whenCompleteAsync((connected, failure) -> release(node, mine, failure), this::run);
    }
    return true;
  }

  private void run(Runnable task) {
    try {
      connection.getResources().eventExecutorGroup().execute(task);
    } catch (RejectedExecutionException shutDown) {
      task.run();
    }
  }

  private QueueFullException refusal(RedisClusterNode node) {
    return new QueueFullException(
        maxHeldCommands
            + " commands wait for the connection to "
            + node.getUri().getHost()
            + ":"
            + node.getUri().getPort()
            + " to be opened; the limit is maxQueuedCommands="
            + maxHeldCommands
            + ". Send less at once, or raise the limit in BatchingOptions",
        deadline -> false);
  }

  private void release(RedisClusterNode node, Held<K, V> held, @Nullable Throwable failure) {
    while (true) {
      RedisCommand<K, V, ?> command;
      synchronized (held) {
        command = held.commands.poll();
        if (command == null) {
          held.over = true;
          waiting.remove(node);
          return;
        }
      }
      if (failure == null) {
        send(command);
      } else {
        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
        command.completeExceptionally(wrapped ? failure.getCause() : failure);
      }
    }
  }

  private void send(RedisCommand<K, V, ?> command) {
    try {
      lettuce.accept(command);
    } catch (RuntimeException e) {
      command.completeExceptionally(e);
    }
  }

  private void connected(RedisClusterNode node, int changesBefore) {
    connected.add(node);
    for (RedisClusterNode each : connection.getPartitions()) {
      if (each.is(RedisClusterNode.NodeFlag.UPSTREAM)
          && !each.getSlots().isEmpty()
          && !connected.contains(each)) {
        return;
      }
    }
    allConnected = true;
    if (changes.get() != changesBefore) {
      nodesChanged();
    }
  }
}
