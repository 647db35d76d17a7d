package dev.sheaf;

import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.ConnectionFacade;
import io.lettuce.core.protocol.MaintenanceAwareComponent;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the commands that many callers write to one node into few writes.
 *
 * <p>It stands below slot routing, one for each node connection, so routing, redirects, TLS and
 * reconnects stay Lettuce's. Callers encode their command, add it to the queue and go on; whoever
 * finds the queue unattended wakes the event loop, which takes all that has gathered, fuses runs of
 * GETs and writes everything at once (group commit). While the event loop reads replies, the next
 * batch gathers, so batches grow with the load, by themselves and without a timer; a lone caller
 * wakes the event loop just as plain Lettuce does, and waits for nothing else.
 *
 * <p>Thread-safe. The queue has one consumer at a time: the holder of {@link #attended}.
 */
final class CoalescingWriter
    implements RedisChannelWriter, Delegating<RedisChannelWriter>, MaintenanceAwareComponent {

  /** How many commands one turn of the event loop takes before other connections get theirs. */
  private static final int COMMANDS_PER_TURN = 512;

  private final RedisChannelWriter delegate;
  private final BatchingOptions options;
  private final RunFuser fuser;
  private final CommandQueue queue = new CommandQueue();
  private final AtomicInteger queuedCommands = new AtomicInteger();
  private final AtomicLong queuedBytes = new AtomicLong();

  /** True from the first command into an idle queue until a drain has left it empty. */
  private final AtomicBoolean attended = new AtomicBoolean();

  /** True while a drain waits for the socket or for replies, still holding {@link #attended}. */
  private final AtomicBoolean stalled = new AtomicBoolean();

  private final Runnable drain = this::drain;

  private final SignsOfLife signsOfLife = new SignsOfLife();

  /** What the current drain is about to write; belongs to the holder of {@link #attended}. */
  private final List<RedisCommand<?, ?, ?>> outbox = new ArrayList<>();

  private volatile @Nullable NodeChannel channel;

  private volatile boolean autoFlush = true;
  private volatile boolean closed;

  CoalescingWriter(RedisChannelWriter delegate, BatchingOptions options, boolean cluster) {
    this.delegate = delegate;
    this.options = options;
    this.fuser = new RunFuser(options, cluster, this::resend);
  }

  @Override
  public <K, V, T> RedisCommand<K, V, T> write(RedisCommand<K, V, T> command) {
    Outgoing<K, V, T> outgoing = encode(command, true);
    if (outgoing != null) {
      Corked corked = Corked.current();
      if (corked != null) {
        corked.hold(this, outgoing);
      } else {
        submit(outgoing, outgoing, 1, outgoing.requestBytes());
      }
    }
    return command;
  }

  /** Writes commands with nothing between them and none fused: ASKING belongs to its successor. */
  @Override
  @SuppressWarnings("unchecked")
  public <K, V> Collection<RedisCommand<K, V, ?>> write(
      Collection<? extends RedisCommand<K, V, ?>> commands) {
    Chain chain = new Chain();
    for (RedisCommand<K, V, ?> command : commands) {
      Outgoing<K, V, ?> outgoing = encode(command, false);
      if (outgoing != null) {
        chain.append(outgoing);
      }
    }
    submit(chain);
    return (Collection<RedisCommand<K, V, ?>>) commands;
  }

  private static <K, V, T> @Nullable Outgoing<K, V, T> encode(
      RedisCommand<K, V, T> command, boolean mayFuse) {
    try {
      return Outgoing.encode(command, mayFuse);
    } catch (RuntimeException e) {
      command.completeExceptionally(
          new SheafException(
              "Cannot encode " + command.getType() + ": the codec failed with " + e, e));
      return null;
    }
  }

  /** Queues linked commands as they stand, or fails them all if the queue is full. */
  void submit(Chain chain) {
    if (!chain.isEmpty()) {
      submit(chain.first(), chain.last(), chain.commands(), chain.bytes());
    }
  }

  private void submit(Outgoing<?, ?, ?> first, Outgoing<?, ?, ?> last, int commands, long bytes) {
    SheafException refusal = admit(commands, bytes);
    if (refusal != null) {
      fail(first, refusal);
      return;
    }
    queue.addChain(first, last);
    if (autoFlush) {
      attend();
    }
  }

  private @Nullable SheafException admit(int commands, long bytes) {
    if (closed) {
      return new SheafException("The Sheaf client is closed; no command can be sent any more");
    }
    int newCommands = queuedCommands.addAndGet(commands);
    long newBytes = queuedBytes.addAndGet(bytes);
    if (newCommands <= options.maxQueuedCommands()
        && (newBytes <= options.maxQueuedBytes() || newBytes == bytes)) {
      return null;
    }
    queuedCommands.addAndGet(-commands);
    queuedBytes.addAndGet(-bytes);
    return new QueueFullException(
        "The queue of a node connection is full: "
            + newCommands
            + " commands and "
            + newBytes
            + " bytes would wait, the limits are maxQueuedCommands="
            + options.maxQueuedCommands()
            + " and maxQueuedBytes="
            + options.maxQueuedBytes()
            + "; the server reads more slowly than this client writes. Send less at once, or raise"
            + " the limit in BatchingOptions");
  }

  private static void fail(Outgoing<?, ?, ?> first, SheafException failure) {
    Outgoing<?, ?, ?> command = first;
    while (command != null) {
      Outgoing<?, ?, ?> next = command.next;
      command.completeExceptionally(failure);
      command = next;
    }
  }

  /** Sees to it that somebody drains the queue. */
  private void attend() {
    if (!attended.get() && attended.compareAndSet(false, true)) {
      schedule();
    }
  }

  private void schedule() {
    NodeChannel current = channel;
    if (current == null) {
      // No socket: Lettuce keeps, rejects or times out what is written now, as it was configured.
      drain();
      return;
    }
    try {
      current.execute(drain);
    } catch (RejectedExecutionException shutDown) {
      drain();
    }
  }

  /** Writes what has gathered. Called by the holder of {@link #attended} alone. */
  private void drain() {
    do {
      NodeChannel current = channel;
      if (current != null && !isReady(current)) {
        stall(current);
        return;
      }
      int taken = collect(current);
      send(current);
      if (current != null && taken == COMMANDS_PER_TURN) {
        schedule();
        return;
      }
      attended.set(false);
      if (current != null) {
        // Another turn, not another round: replies are read between two turns.
        attendIfWaiting();
        return;
      }
    } while (isWaiting() && attended.compareAndSet(false, true));
  }

  private boolean isWaiting() {
    return !queue.isEmpty() && autoFlush;
  }

  private void attendIfWaiting() {
    if (isWaiting()) {
      attend();
    }
  }

  private boolean isReady(NodeChannel current) {
    return current.isWritable() && hasRoom(current);
  }

  private boolean hasRoom(NodeChannel current) {
    return current.inFlightCommands() < options.maxInFlightCommands();
  }

  /**
   * Waits for the socket or for replies, still holding {@link #attended}; {@link #resume} goes on.
   */
  private void stall(NodeChannel current) {
    stalled.set(true);
    // Whatever would have resumed may have happened before the line above.
    if (channel != current || isReady(current)) {
      resume();
    }
  }

  /** Goes on after a stall: the socket takes bytes again, replies arrived, or it was lost. */
  void resume() {
    if (stalled.compareAndSet(true, false)) {
      schedule();
    }
  }

  private int collect(@Nullable NodeChannel current) {
    int room =
        current == null
            ? COMMANDS_PER_TURN
            : Math.min(
                COMMANDS_PER_TURN, options.maxInFlightCommands() - current.inFlightCommands());
    int taken = 0;
    long bytes = 0;
    while (taken < room && bytes < options.maxBatchBytes()) {
      Outgoing<?, ?, ?> command = queue.poll();
      if (command == null) {
        break;
      }
      taken++;
      bytes += command.requestBytes();
      if (!command.isAbandoned()) {
        fuser.add(command, outbox);
      }
    }
    fuser.endRun(outbox);
    if (taken > 0) {
      queuedCommands.addAndGet(-taken);
      queuedBytes.addAndGet(-bytes);
    }
    return taken;
  }

  private void send(@Nullable NodeChannel current) {
    if (outbox.isEmpty()) {
      return;
    }
    try {
      writeThrough(current, outbox);
    } finally {
      outbox.clear();
    }
  }

  /** Sends commands again, or for the first time by themselves, past the queue. */
  private void resend(List<RedisCommand<?, ?, ?>> commands) {
    writeThrough(channel, commands);
  }

  private void writeThrough(@Nullable NodeChannel current, List<RedisCommand<?, ?, ?>> commands) {
    List<RedisCommand<?, ?, ?>> written =
        current != null && current.inEventLoop() ? current.board(commands) : commands;
    try {
      if (written.size() == 1) {
        delegate.write(written.get(0));
      } else {
        writeAll(written);
      }
    } catch (RuntimeException e) {
      for (RedisCommand<?, ?, ?> command : written) {
        command.completeExceptionally(e);
      }
    }
  }

  /** Lettuce types a batch by one codec, though it never looks at it. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private void writeAll(List<RedisCommand<?, ?, ?>> commands) {
    delegate.write((Collection) commands);
  }

  /** Called on the event loop when replies have made room. */
  void answered(NodeChannel from) {
    if (stalled.get() && from == channel && isReady(from)) {
      resume();
    }
  }

  /** What the replies tell about the node. */
  SignsOfLife signsOfLife() {
    return signsOfLife;
  }

  /** The socket is there. Called on its event loop. */
  void attach(NodeChannel opened) {
    channel = opened;
    fuser.reset();
    signsOfLife.connected();
    resume();
  }

  /** The socket is lost. Called on its event loop. */
  void detach(NodeChannel lost) {
    if (channel == lost) {
      channel = null;
      signsOfLife.lost();
    }
    resume();
  }

  @Override
  public void setAutoFlushCommands(boolean autoFlush) {
    this.autoFlush = autoFlush;
  }

  @Override
  public void flushCommands() {
    attend();
  }

  @Override
  public void close() {
    closed = true;
    delegate.close();
    failWaiting();
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    closed = true;
    CompletableFuture<Void> closing = delegate.closeAsync();
    failWaiting();
    return closing;
  }

  /** What still waits is handed to the closed delegate, which fails it. */
  private void failWaiting() {
    channel = null;
    resume();
    attend();
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

  /** Whether nobody between here and the socket wants to see each single command. */
  boolean mayFly() {
    return !(delegate instanceof CommandListenerWriter);
  }

  /** Passes a connection's time-out to Lettuce's writer that enforces it, which does not see it. */
  void setTimeout(Duration timeout) {
    RedisChannelWriter writer = delegate;
    if (writer instanceof CommandListenerWriter) {
      writer = ((CommandListenerWriter) writer).getDelegate();
    }
    if (writer instanceof CommandExpiryWriter) {
      ((CommandExpiryWriter) writer).setTimeout(timeout);
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
    if (delegate instanceof MaintenanceAwareComponent) {
      event.accept((MaintenanceAwareComponent) delegate);
    }
  }
}
