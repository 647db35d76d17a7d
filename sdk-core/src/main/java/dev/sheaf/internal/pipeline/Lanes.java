// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.common.PeriodicTask;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.lettuce.LettuceCallers;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.pipeline.PendingQueue.Chain;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Additional connections to one server, or one node of a cluster, for a few blocking callers. Each
 * caller can drive an event loop of its own, and none queues behind another's round trip.
 *
 * <p>Only blocking reads and writes use a lane. Futures, transactions, commands that may block the
 * server and those that depend on their connection stay on the main one. A lane belongs to one
 * caller at a time, for one call. If there are more callers than lanes, all share the main
 * connection, where batches form.
 *
 * <p>A lane is opened after {@value #MISSES_PER_LANE} calls have found none free. It is closed when
 * it has received nothing for {@value #IDLE_SECONDS} s, or with the main connection.
 *
 * <p>All lanes lead to the server of the main connection's socket: another one may lack a write
 * that its caller knows to be done. A name or a Sentinel can lead elsewhere from one moment to the
 * next. So a lane that has reached another server is closed unused, a lane that loses its socket
 * never has a second one, and all lanes end with the socket of the main connection. Their commands
 * continue on the main connection.
 *
 * <p>Thread-safe.
 */
public final class Lanes {

  /** How many calls must find no free lane before another one is opened. */
  static final int MISSES_PER_LANE = 64;

  /** One minute, as in the connection pools of Jedis. */
  static final int IDLE_SECONDS = 60;

  /**
   * How long no other lane is opened after one could not be used: 10 seconds, about as long as a
   * failover takes.
   */
  static final int RETRY_SECONDS = 10;

  /** How long closing waits for a lane that is still being opened: 1 second. */
  private static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(IDLE_SECONDS);

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(RETRY_SECONDS);

  private static final int MAIN = 0;

  /** The number of a lane that is closed or about to be. */
  private static final int CLOSED = -1;

  /**
   * A connection that is being opened.
   *
   * @param pipeline completes with the pipeline once connected, or fails
   * @param closing closes the connection, whether it is open yet or not
   */
  public record Opening(
      CompletionStage<NodePipeline> pipeline, Supplier<CompletableFuture<Void>> closing) {

    /** A connection that cannot be opened. */
    public static Opening failed(Exception why) {
      return new Opening(
          CompletableFuture.failedFuture(why), () -> CompletableFuture.completedFuture(null));
    }
  }

  /**
   * An open connection with a pipeline of its own.
   *
   * @param number from 1 on and never reused, so that the recorded lane of an unanswered command
   *     cannot mean another one later
   */
  private record Lane(
      int number, NodePipeline pipeline, Supplier<CompletableFuture<Void>> closing) {}

  private final NodePipeline main;
  private final Timer timer;
  private final PeriodicTask look;
  private final Supplier<Opening> opener;
  private final CallerOrder order;
  private final Growth growth;

  /** Replaced as a whole, guarded by this. */
  private volatile List<Lane> lanes = List.of();

  /**
   * The lanes that have ended while commands of theirs were unanswered. Later commands of the same
   * threads follow them, to stay behind them. Replaced as a whole, guarded by this.
   */
  private volatile List<Lane> ended = List.of();

  /** Done when all connections that were closed so far are. Guarded by this. */
  private CompletableFuture<Void> closings = CompletableFuture.completedFuture(null);

  /** The socket of the main connection; null while there is none. Guarded by this. */
  private @Nullable NodeChannel socketOfMain;

  private final AtomicBoolean opening = new AtomicBoolean();

  /** Whether lanes can be used: no command has changed the state of the main connection. */
  private volatile boolean stateless = true;

  /** Whether the main connection, and so each lane, reads from a replica; guarded by this. */
  private boolean readOnly;

  /** The lane being opened; guarded by this. */
  private @Nullable Opening underWay;

  /** Guarded by this. */
  private int lastNumber = MAIN;

  /** Guarded by this. */
  private boolean closed;

  /**
   * Starts without lanes.
   *
   * @param main the pipeline of the main connection
   * @param maxLanes most lanes beside the main connection, at that moment
   * @param writes is notified when writes end
   * @param timer schedules the checks for idle lanes
   * @param opener opens a connection with the settings of the main one
   */
  public Lanes(
      NodePipeline main,
      IntSupplier maxLanes,
      WriteClock writes,
      Timer timer,
      Supplier<Opening> opener) {
    this.main = main;
    this.growth = new Growth(maxLanes);
    this.timer = timer;
    this.look = new PeriodicTask(timer, IDLE_NANOS / 2, this::look);
    this.order = new CallerOrder(writes);
    this.opener = opener;
  }

  /** The cell of the current thread in {@link CallerOrder}. */
  public static int cellOfThread() {
    return ((int) Thread.currentThread().getId() * CallerOrder.SPREAD) >>> CallerOrder.SHIFT;
  }

  /** How many callers can drive an event loop at the same time. */
  int drivers() {
    return 1 + lanes.size();
  }

  /**
   * Checks whether a command changes the state of the main connection. Renewed credentials do not:
   * Lettuce sends them on each connection, and so on lanes, too. Neither does a READONLY while
   * there are no lanes, such as the one that Lettuce sends to a replica first: each lane gets one.
   */
  void observe(EncodedCommand<?, ?, ?> command) {
    if (changesState(command)
        && !(command.getType() == CommandType.AUTH && LettuceCallers.renewCredentials())
        && !(command.getType() == CommandType.READONLY && lanesWillDoSo())) {
      stateless = false;
    }
  }

  /** Has all lanes read from a replica, if none is open yet. */
  private synchronized boolean lanesWillDoSo() {
    readOnly |= lanes.isEmpty();
    return readOnly;
  }

  private static boolean changesState(EncodedCommand<?, ?, ?> command) {
    // HELLO without arguments changes nothing.
    return command.traits().changesState()
        || (command.traits().name().equals("HELLO")
            && command.getArgs() != null
            && command.getArgs().count() > 0);
  }

  /**
   * Prepares a command to be sent: WAIT is sent on all connections, because each knows its own
   * writes only.
   */
  <K, V, T> RedisCommand<K, V, T> everywhere(RedisCommand<K, V, T> command) {
    if (!CommandTraits.of(command.getType()).waitsForCopies() || EncodedCommand.isMember(command)) {
      return command;
    }
    int own = Math.max(MAIN, order.lane(cellOfThread()));
    List<PendingQueue> others =
        Stream.concat(lanes.stream(), ended.stream())
            .filter(lane -> lane.number() != own)
            .map(Lane::pipeline)
            .filter(pipeline -> pipeline.channel() != null)
            .map(NodePipeline::queue)
            .collect(Collectors.toCollection(ArrayList::new));
    if (own != MAIN) {
      others.add(main.queue());
    }
    return others.isEmpty() ? command : ReplicationWait.on(others, command);
  }

  /**
   * Finds a free lane for a blocking caller and makes the caller the owner of its event loop.
   *
   * @param own tries to make the caller the owner of the event loop of a pipeline
   * @return whether the caller owns an event loop now
   */
  boolean tryDrive(Chain commands, Predicate<NodePipeline> own) {
    int cell = cellOfThread();
    int only = order.lane(cell);
    if (only >= 0) {
      return own.test(pipeline(only));
    }
    List<Lane> open = lanes;
    int count = open.size();
    if (count == 0 || !stateless || !commands.areOfAnyConnection()) {
      return own.test(main);
    }
    // A thread prefers the same lane each time.
    int first = cell % (count + 1);
    for (int i = 0; i <= count; i++) {
      int at = (first + i) % (count + 1);
      if (own.test(at == 0 ? main : open.get(at - 1).pipeline())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Counts commands that a caller is about to send on a connection whose event loop it owns.
   *
   * @return false, without counting, if they must use another connection: commands of their thread
   *     are unanswered there, or the lane was closed
   */
  boolean enter(NodePipeline wanted, Chain commands) {
    int cell = cellOfThread();
    int lane = wanted == main ? MAIN : numberOf(wanted);
    if (lane == CLOSED) {
      return false;
    }
    if (order.enter(cell, lane, commands.commands()) != lane) {
      order.leave(cell, commands.commands());
      return false;
    }
    commands.countedIn(order, cell);
    return true;
  }

  /** Counts commands that are about to be sent, and finds the connection they must use. */
  private NodePipeline enter(Chain commands) {
    int cell = cellOfThread();
    commands.countedIn(order, cell);
    return pipeline(order.enter(cell, MAIN, commands.commands()));
  }

  /** The same for a single command. */
  NodePipeline enter(EncodedCommand<?, ?, ?> command) {
    int cell = cellOfThread();
    command.countedIn(order, cell);
    return pipeline(order.enter(cell, MAIN, 1));
  }

  /** Sends commands on the connection they must use: the main one unless lanes require another. */
  static void submit(NodePipeline main, Chain commands, BiConsumer<NodePipeline, Chain> sending) {
    Lanes lanes = main.lanes();
    if (!commands.isEmpty()) {
      sending.accept(lanes == null ? main : lanes.enter(commands), commands);
    }
  }

  private int numberOf(NodePipeline pipeline) {
    for (Lane lane : lanes) {
      if (lane.pipeline() == pipeline) {
        return lane.number();
      }
    }
    return CLOSED;
  }

  private NodePipeline pipeline(int number) {
    if (number == MAIN) {
      return main;
    }
    // In this order: a lane that ends meanwhile is in the second list before it leaves the first.
    Lane lane = find(lanes, number);
    if (lane == null) {
      lane = find(ended, number);
    }
    return lane == null ? main : lane.pipeline();
  }

  private static @Nullable Lane find(List<Lane> lanes, int number) {
    for (Lane lane : lanes) {
      if (lane.number() == number) {
        return lane;
      }
    }
    return null;
  }

  /** Called when a caller that could have driven found no free lane. */
  void missed(int callers) {
    if (callers <= drivers()) {
      for (Lane lane : lanes) {
        DrivenEventLoop loop = lane.pipeline().loop();
        if (loop != null) {
          loop.wantDriver();
        }
      }
    }
    if (stateless && growth.decide(callers, lanes.size()) && opening.compareAndSet(false, true)) {
      growth.begun();
      open();
    }
  }

  private void open() {
    Opening lane = opener.get();
    synchronized (this) {
      underWay = lane;
    }
    lane.pipeline().whenComplete((pipeline, failure) -> opened(lane, pipeline));
  }

  /** A failure is ignored: the main connection reports problems, and a later miss tries again. */
  private void opened(Opening lane, @Nullable NodePipeline pipeline) {
    boolean wanted;
    synchronized (this) {
      if (!lane.equals(underWay)) {
        return; // It is being closed.
      }
      underWay = null;
      wanted = pipeline != null && !closed && add(pipeline, lane.closing());
    }
    if (wanted) {
      opening.set(false);
    } else {
      close(lane.closing());
      timer.after(() -> opening.set(false), RETRY_NANOS);
    }
    look.start();
  }

  /** Adds a lane, if it leads to the server of the main connection. Guarded by this. */
  private boolean add(NodePipeline pipeline, Supplier<CompletableFuture<Void>> closing) {
    Lane lane = new Lane(++lastNumber, pipeline, closing);
    // Before the look at its socket, which may be lost at any time.
    pipeline.laneOf(main, () -> end(lane));
    NodeChannel socket = pipeline.channel();
    if (socketOfMain == null || socket == null || !socket.isToServerOf(socketOfMain)) {
      return false;
    }
    if (readOnly) {
      // What follows on its connection is answered after it.
      pipeline.queue().submit(readOnlyCommand());
    }
    forgetUnused();
    lanes = Stream.concat(lanes.stream(), Stream.of(lane)).toList();
    return true;
  }

  private static EncodedCommand<?, ?, ?> readOnlyCommand() {
    return EncodedCommand.encode(
        new Command<>(CommandType.READONLY, new StatusOutput<>(StringCodec.ASCII)), false);
  }

  /** Called on the event loop of the main connection when it has a socket. */
  void connected(NodeChannel socket) {
    synchronized (this) {
      socketOfMain = socket;
    }
  }

  /**
   * Called on the event loop of the main connection when its socket is lost. The next one may lead
   * to another server.
   */
  void disconnected() {
    List<Lane> open;
    Opening unfinished;
    synchronized (this) {
      socketOfMain = null;
      open = lanes;
      unfinished = underWay;
      underWay = null;
      open.forEach(this::remove);
    }
    // Each ends when its event loop finds that the socket is closed.
    open.forEach(lane -> lane.pipeline().closeSocket());
    if (unfinished != null) {
      opening.set(false);
      closeOpened(unfinished);
    }
  }

  /** Called on the event loop of a lane that has lost its socket. */
  private void end(Lane lane) {
    remove(lane);
    close(lane.closing());
  }

  private void close(Supplier<CompletableFuture<Void>> connection) {
    CompletableFuture<Void> closing = connection.get().exceptionally(failure -> null);
    synchronized (this) {
      closings = CompletableFuture.allOf(closings, closing);
    }
  }

  private synchronized void forgetUnused() {
    ended =
        ended.stream()
            .filter(lane -> lane.pipeline().channel() != null || order.isUsed(lane.number()))
            .toList();
  }

  /** Returns whether it was open. */
  private synchronized boolean remove(Lane lane) {
    if (!lanes.contains(lane)) {
      return false;
    }
    ended = Stream.concat(ended.stream(), Stream.of(lane)).toList();
    lanes = lanes.stream().filter(each -> !each.equals(lane)).toList();
    return true;
  }

  private boolean look() {
    CompletableFuture<Void> unused = closeIdle(System.nanoTime());
    forgetUnused();
    return !lanes.isEmpty() || !ended.isEmpty();
  }

  /**
   * Closes the lanes that are idle at the given time.
   *
   * @return done when all lanes have been checked
   */
  CompletableFuture<Void> closeIdle(long nowNanos) {
    List<CompletableFuture<Void>> looks = new ArrayList<>();
    for (Lane lane : lanes) {
      DrivenEventLoop loop = lane.pipeline().loop();
      if (loop != null) {
        looks.add(runOn(loop, () -> closeIfIdle(lane, nowNanos)));
      }
    }
    return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new));
  }

  /** Runs a task on an event loop; does nothing if the loop has ended, and its connections too. */
  static CompletableFuture<Void> runOn(Executor loop, Runnable task) {
    try {
      return CompletableFuture.runAsync(task, loop);
    } catch (RejectedExecutionException ended) {
      return CompletableFuture.completedFuture(null);
    }
  }

  /**
   * Called by the owner of the lane's event loop, so that no caller is about to write on it: a
   * caller that owns the loop runs this after its own command, and a later caller finds the lane
   * gone.
   */
  private void closeIfIdle(Lane lane, long nowNanos) {
    NodePipeline pipeline = lane.pipeline();
    NodeChannel socket = pipeline.channel();
    if (socket == null
        || socket.inFlightCommands() > 0
        || pipeline.queue().commands() > 0
        || nowNanos - socket.heardNanos() < IDLE_NANOS) {
      return;
    }
    if (remove(lane)) {
      close(lane.closing());
    }
  }

  /** Closes all lanes, including the one that is being opened. */
  public CompletableFuture<Void> closeAsync() {
    List<Lane> open;
    Opening unfinished;
    synchronized (this) {
      closed = true;
      lanes.forEach(this::remove);
      open = ended;
      unfinished = underWay;
      underWay = null;
    }
    open.forEach(lane -> close(lane.closing()));
    if (unfinished != null) {
      closeOpened(unfinished);
    }
    synchronized (this) {
      return closings;
    }
  }

  /**
   * Closes a lane once it is open, has failed or takes too long. If closed during the handshake,
   * the next step would run on an event loop that has ended, which Netty logs as an error.
   */
  private void closeOpened(Opening lane) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    lane.pipeline().whenComplete((pipeline, failure) -> over.complete(true));
    if (!timer.after(() -> over.complete(false), OPENING_NANOS)) {
      over.complete(false);
    }
    close(() -> over.thenCompose(any -> lane.closing().get()));
  }

  /** When any lane last received data, or the given time if that is later. */
  long heardNanos(long other) {
    long last = other;
    for (Lane lane : lanes) {
      long of = lane.pipeline().reasons().heardNanos();
      if (of - last > 0) {
        last = of;
      }
    }
    return last;
  }

  /** Explains why a command written on a lane is late; null if it was not written on one. */
  @Nullable Lateness find(RedisCommand<?, ?, ?> command) {
    for (Lane lane : lanes) {
      NodeChannel socket = lane.pipeline().channel();
      Lateness found = socket == null ? null : socket.find(command);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /**
   * Decides when to open another lane: after many calls that found none free, made by so few
   * callers that each could have one. More callers share the main connection.
   *
   * <p>Thread-safe.
   */
  private static final class Growth {

    private final IntSupplier maxLanes;

    /** How many calls found no free lane since the last one was opened. */
    private final AtomicInteger misses = new AtomicInteger();

    Growth(IntSupplier maxLanes) {
      this.maxLanes = maxLanes;
    }

    /**
     * Counts a call that found no free lane, and decides whether to open another one.
     *
     * @param callers how many callers of the client are blocked
     * @param open how many lanes there are
     */
    boolean decide(int callers, int open) {
      int most = maxLanes.getAsInt();
      return callers <= most + 1 && open < most && misses.incrementAndGet() >= MISSES_PER_LANE;
    }

    /** Called when another lane is being opened. */
    void begun() {
      misses.set(0);
    }
  }

  /**
   * Keeps the commands of one thread on one connection while any of them is unanswered: so commands
   * of one thread never overtake each other.
   *
   * <p>Threads share {@value #CELLS} cells by their id. A cell holds how many commands are
   * unanswered, and the lane they were sent on; while there are any, further commands of these
   * threads go the same way. Two threads that share a cell share a lane now and then, and lose
   * nothing else.
   */
  static final class CallerOrder implements EncodedCommand.Counting {

    private static final int CELLS = 256;
    private static final int SPREAD = 0x9E3779B9;
    private static final int SHIFT = Integer.numberOfLeadingZeros(CELLS - 1);
    private static final int LANE_SHIFT = 32;
    private static final long COUNT_MASK = (1L << LANE_SHIFT) - 1;

    private final AtomicLongArray cells = new AtomicLongArray(CELLS);
    private final WriteClock writes;

    CallerOrder(WriteClock writes) {
      this.writes = writes;
    }

    /** The lane that the next command of this cell's threads must take; -1 if it may take any. */
    int lane(int cell) {
      long state = cells.get(cell);
      return (state & COUNT_MASK) == 0 ? -1 : (int) (state >>> LANE_SHIFT);
    }

    /** Whether commands that were sent on a lane are unanswered. */
    boolean isUsed(int lane) {
      for (int cell = 0; cell < CELLS; cell++) {
        if (lane(cell) == lane) {
          return true;
        }
      }
      return false;
    }

    /**
     * Counts commands that are about to be sent.
     *
     * @param wanted the lane to take if nothing is unanswered
     * @return the lane they have to take
     */
    int enter(int cell, int wanted, int commands) {
      while (true) {
        long state = cells.get(cell);
        long lane = (state & COUNT_MASK) == 0 ? wanted : state >>> LANE_SHIFT;
        if (cells.compareAndSet(
            cell, state, lane << LANE_SHIFT | (state & COUNT_MASK) + commands)) {
          return (int) lane;
        }
      }
    }

    /** Counts commands no more, before their callers know that they are answered. */
    void leave(int cell, int commands) {
      cells.addAndGet(cell, -commands);
    }

    @Override
    public void ended(EncodedCommand<?, ?, ?> command, int cell) {
      if (!command.isFusible()) {
        // Where there are several connections, a read may overtake the write of another thread.
        writes.ended(command);
      }
      leave(cell, 1);
    }
  }
}
