// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Netty event loop whose thread changes. A blocking caller takes the loop, writes its request and
 * runs the loop until its reply arrives. So a single caller needs no second thread to send the
 * request and read the reply, which saves two hand-overs between threads per call.
 *
 * <p>The loop belongs to one thread at a time, its owner. All of Netty's rules hold for the owner:
 * handlers run on it, and nothing else runs meanwhile. There are three kinds of owner:
 *
 * <ul>
 *   <li>A <em>driver</em> is a caller that blocks until a reply. It takes the loop only if nobody
 *       has it, and leaves as soon as its reply arrives, its time-out passes, it is interrupted, or
 *       there is work that must not run on a caller's thread ({@link #callbacks}, {@link #hold}).
 *   <li>A <em>visitor</em> is a caller that must not block in the selector, such as a virtual
 *       thread. It owns the loop while it writes its request, and while it looks for the reply
 *       ({@link #look}).
 *   <li>The <em>keeper</em> is the loop's own thread. It runs the loop for everything else:
 *       futures, callers that park, connections that are being opened.
 * </ul>
 *
 * <p>While the loop is idle, the keeper waits in the selector like any event loop of Netty's. A
 * caller that could have driven then asks for the loop ({@link #wantDriver}). The keeper releases
 * it and only checks the sockets every {@value #LOOK_MILLIS} ms, so that a push or a lost
 * connection is noticed within that time. After a second without a driver it waits in the selector
 * again.
 *
 * <p>Thread-safe, except for members marked as owner only.
 */
public final class DrivenEventLoop extends AbstractScheduledEventExecutor implements IoEventLoop {

  /** How long a push or a lost socket can go unnoticed while callers drive. */
  static final int LOOK_MILLIS = 40;

  /** The capacity of its buffer, 64 KiB: the most that Netty reads at once. */
  static final int BUFFER_BYTES = 64 * 1024;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

  /** After so many checks without a driver in between, the keeper waits in the selector again. */
  private static final int QUIET_LOOKS = 25;

  /**
   * The longest wait in the selector. Nothing depends on it; it is long, so that a missing wake-up
   * shows as a hang.
   */
  private static final long MAX_SELECT_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Thread.isVirtual, which JDK 17 lacks. */
  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualMethod();

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.io");

  /** The loop whose keeper the current thread is. */
  private static final ThreadLocal<@Nullable DrivenEventLoop> KEPT = new ThreadLocal<>();

  private final IoEventLoopGroup parent;
  private final IoHandler handler;
  private final Thread keeper;
  private final Turn context = new Turn();
  private final Runnable wakeUp = this::wakeUp;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
  private final Promise<?> terminated = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
  private volatile boolean driverWanted;
  private volatile boolean shuttingDown;
  private volatile long drives;

  /** Whether the I/O handler was initialized. Owner only. */
  private boolean initialized;

  /** How many commands on this loop's sockets await replies. Owner only. */
  private int inFlight;

  /** How many of them complete futures or callbacks, and not a blocked caller. Owner only. */
  private int callbacks;

  /** How many sockets only the keeper may serve, such as those being opened. Owner only. */
  private int holds;

  /** How many tasks wait for the keeper. Owner only. */
  private int forKeeper;

  /** Whether sockets are being read. Owner only. */
  private boolean reading;

  /** What to run when the sockets have been read. Owner only. */
  private final List<Runnable> afterReading = new ArrayList<>();

  /** What its sockets use one after the other; null before the first use. Owner only. */
  private @Nullable ByteBuf buffer;

  /** What the driver waits for; null while the keeper runs the loop. Owner only. */
  private @Nullable CompletableFuture<?> awaited;

  DrivenEventLoop(IoEventLoopGroup parent, IoHandlerFactory handlers, ThreadFactory threads) {
    this.parent = parent;
    this.handler = handlers.newHandler(this);
    this.keeper = threads.newThread(this::keep);
    keeper.start();
  }

  // ---- Drivers

  private static @Nullable MethodHandle isVirtualMethod() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * Whether the current thread can drive. Excluded are virtual threads, which would block their
   * carrier in the selector, threads of a fork-join pool, which must know when they block, and
   * event loops.
   */
  public static boolean mayDrive() {
    Thread thread = Thread.currentThread();
    return thread.getClass() == Thread.class
        || (!(thread instanceof ForkJoinWorkerThread)
            && !(thread instanceof FastThreadLocalThread)
            && !isVirtual(thread));
  }

  /**
   * Whether the current thread can write and {@link #look}, even if it may not drive. Excluded are
   * event loops: one's handlers must not run inside those of another.
   */
  public static boolean mayLook() {
    return !(Thread.currentThread() instanceof FastThreadLocalThread);
  }

  /** Whether the current thread is virtual. */
  public static boolean isVirtual() {
    return isVirtual(Thread.currentThread());
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      throw new LinkageError("Thread.isVirtual failed", e);
    }
  }

  /**
   * Makes the calling thread the owner, if there is none and no work for the keeper.
   *
   * @return whether it is the owner; it must then call {@link #leave}
   */
  public boolean tryDrive() {
    if (owner.get() != null || shuttingDown || !owner.compareAndSet(null, Thread.currentThread())) {
      return false;
    }
    if (callbacks > 0 || holds > 0 || shuttingDown) {
      leave();
      return false;
    }
    return true;
  }

  /** A future that wakes one waiter itself, which costs less than a dependent stage. */
  public interface Waking {

    /** Sets what to run when it is done; false if there is a waiter already. */
    boolean wakes(Runnable waiter);

    /** Removes the waiter. */
    void wakesNobody();
  }

  /**
   * Runs the loop until a future is done. Owner only.
   *
   * @param done the future; completed by any thread
   * @param deadlineNanos when to stop, by System.nanoTime
   * @param yields how often to look at the sockets and yield the processor, before blocking
   */
  @SuppressWarnings("ThreadPriorityCheck") // It may have no effect; then the thread blocks.
  public void drive(CompletableFuture<?> done, long deadlineNanos, int yields) {
    Thread thread = Thread.currentThread();
    // Another thread may complete it: one that decodes values, or one that enforces time-outs.
    Waking waking = done instanceof Waking one && one.wakes(wakeUp) ? one : null;
    if (waking == null) {
      done.whenComplete((value, failure) -> wakeUp());
    }
    awaited = done;
    int yielded = 0;
    try {
      while (callbacks == 0 && holds == 0 && !isTurnOver()) {
        long leftNanos = deadlineNanos - System.nanoTime();
        if (leftNanos <= 0 || thread.isInterrupted()) {
          return;
        }
        if (yielded < yields) {
          yielded++;
          Thread.yield();
          turn(0);
        } else {
          turn(Math.min(leftNanos, MAX_SELECT_NANOS));
        }
      }
    } finally {
      awaited = null;
      if (waking != null) {
        waking.wakesNobody();
      }
    }
  }

  /** Whether no command on this loop's sockets awaits a reply. Owner only. */
  public boolean isIdle() {
    return inFlight == 0;
  }

  /**
   * Reads what arrives, without blocking, and leaves: for a thread that may not drive. Before each
   * look it yields the processor, or its carrier if it is virtual, and does not own the loop
   * meanwhile. So it delays no other caller, however late it runs again. It stops as soon as
   * commands of others await replies, or have to be written: the keeper continues.
   *
   * <p>Owner only. The current thread does not own the loop afterwards.
   *
   * @param done completed when the replies to all commands in flight are there, by any thread
   * @param looks how often to look at most; 0 to leave at once
   */
  @SuppressWarnings("ThreadPriorityCheck") // It may have no effect; then the thread looks sooner.
  public void look(CompletableFuture<?> done, int looks) {
    // The keeper is to release the loop again when it has read the rest.
    driverWanted = true;
    int own = inFlight;
    boolean owns = true;
    try {
      for (int left = looks; left > 0 && mayWait(own) && !done.isDone(); left--) {
        owns = false;
        release(false);
        Thread.yield();
        if (!tryDrive()) {
          return; // Its owner reads the reply, or has the keeper do so.
        }
        owns = true;
        turn(0);
      }
    } finally {
      if (owns) {
        leave();
      }
    }
  }

  /** Whether the keeper can sleep while so many commands await replies. Owner only. */
  private boolean mayWait(int commands) {
    return inFlight == commands && holds == 0 && tasks.isEmpty();
  }

  /** Whether another thread has ended the wait of the owner. Owner only. */
  private boolean isTurnOver() {
    if (shuttingDown) {
      return true;
    }
    CompletableFuture<?> reply = awaited;
    return reply == null ? driverWanted && !isKeeperNeeded() : reply.isDone();
  }

  private void wakeUp() {
    if (!inEventLoop()) {
      handler.wakeup();
    }
  }

  /** Releases the loop. The keeper continues with commands in flight. Owner only. */
  public void leave() {
    release(inFlight > 0 || holds > 0);
  }

  private void release(boolean keeperNeeded) {
    long drivesBefore = drives;
    drives = drivesBefore + 1;
    owner.set(null);
    if (keeperNeeded || shuttingDown || !tasks.isEmpty()) {
      LockSupport.unpark(keeper);
    }
  }

  /** Asks the keeper to release the loop to callers as soon as it is idle. */
  public void wantDriver() {
    if (!driverWanted) {
      driverWanted = true;
      handler.wakeup();
    }
  }

  /**
   * What the owner runs in this loop, innermost frame first: its stack without the frames below the
   * loop, which are those of a driver's own code. Empty if it runs nothing.
   */
  public StackTraceElement[] ownerStack() {
    Thread running = owner.get();
    StackTraceElement[] stack =
        running == null ? new StackTraceElement[0] : running.getStackTrace();
    int frames = stack.length;
    while (frames > 0 && !isTurn(stack[frames - 1])) {
      frames--;
    }
    return Arrays.copyOf(stack, frames);
  }

  private static boolean isTurn(StackTraceElement frame) {
    return frame.getClassName().equals(DrivenEventLoop.class.getName())
        && frame.getMethodName().equals("turn");
  }

  // ---- Counts of the owner

  /**
   * Counts commands that were sent. Owner only.
   *
   * @param callbacks how many of them no blocked caller awaits
   */
  public void written(int commands, int callbacks) {
    inFlight += commands;
    this.callbacks += callbacks;
  }

  /** Uncounts commands that were answered or lost. Owner only. */
  public void answered(int commands, int callbacks) {
    inFlight -= commands;
    this.callbacks -= callbacks;
  }

  /** Reserves the loop for the keeper until {@link #release}. Owner only. */
  public void hold() {
    holds++;
  }

  /** Ends one {@link #hold}. Owner only. */
  public void release() {
    holds--;
  }

  /**
   * Runs a task on the loop's own thread: at once if that is the owner, else before a caller drives
   * again. Tasks keep their order. Owner only.
   */
  public void runOnKeeper(Runnable task) {
    if (owner.get() == keeper && forKeeper == 0) {
      runAfterReading();
      task.run();
    } else {
      forKeeper++;
      hold(); // Ends the drive.
      tasks.add(() -> runHeld(task));
    }
  }

  private void runHeld(Runnable task) {
    if (owner.get() == keeper) {
      forKeeper--;
      release();
      task.run();
    } else {
      tasks.add(() -> runHeld(task)); // The driver is still in its last turn.
    }
  }

  // ---- Waking threads after the replies

  /**
   * Runs a task once all replies that have arrived are delivered. A thread that awaits several of
   * them one by one is woken so: woken by its first, it would overtake the event loop and have to
   * sleep again.
   *
   * @return false, without running it, if the current thread is not delivering replies
   */
  public static boolean afterReplies(Runnable task) {
    DrivenEventLoop loop = KEPT.get();
    if (loop == null || !loop.reading) {
      return false;
    }
    loop.afterReading.add(task);
    return true;
  }

  /** Runs the tasks of {@link #afterReplies} now, before code that may take long or block. */
  public static void endAfterReplies() {
    DrivenEventLoop loop = KEPT.get();
    if (loop != null) {
      loop.runAfterReading();
    }
  }

  private void runAfterReading() {
    if (!afterReading.isEmpty()) {
      afterReading.forEach(Runnable::run);
      afterReading.clear();
    }
  }

  // ---- The buffer of its sockets

  /**
   * An allocator for sockets of this loop, on top of a pool. For requests and reads it hands out
   * the same direct buffer again and again, unless that is in use.
   *
   * <p>Netty reuses buffers only on threads of its own. For a caller that drives, it would make
   * each anew, and take a lock of the pool for it.
   *
   * <p>The allocator is thread-safe. Threads that do not own the loop get buffers of the pool.
   *
   * @param direct whether buffers of no stated kind are direct
   */
  ByteBufAllocator reusing(ByteBufAllocator pool, boolean direct) {
    return new Reusing(pool, direct);
  }

  private final class Reusing extends AbstractByteBufAllocator {

    private final ByteBufAllocator pool;

    Reusing(ByteBufAllocator pool, boolean direct) {
      super(direct);
      this.pool = pool;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return pool.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      boolean fits = initialCapacity <= BUFFER_BYTES && maxCapacity == Integer.MAX_VALUE;
      if (fits && inEventLoop() && !shuttingDown && isBufferFree()) {
        return theBuffer(pool).clear().retain();
      }
      return pool.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return pool.isDirectBufferPooled();
    }
  }

  private boolean isBufferFree() {
    return buffer == null || buffer.refCnt() == 1;
  }

  private ByteBuf theBuffer(ByteBufAllocator pool) {
    if (buffer != null && buffer.capacity() > BUFFER_BYTES) {
      // A large request has extended it.
      releaseBuffer();
    }
    ByteBuf mine = buffer;
    if (mine == null) {
      mine = pool.directBuffer(BUFFER_BYTES);
      buffer = mine;
    }
    return mine;
  }

  private void releaseBuffer() {
    ByteBuf mine = buffer;
    buffer = null;
    // A handler of the application may have released it once too often.
    if (mine != null && mine.refCnt() > 0) {
      mine.release();
    }
  }

  // ---- The loop

  /** Handles ready sockets, waiting at most the given time for one, and then runs tasks. */
  private void turn(long maxNanos) {
    if (!initialized) {
      initialized = true;
      handler.initialize();
    }
    context.maxNanos = maxNanos;
    reading = true;
    handler.run(context);
    reading = false;
    runAfterReading();
    fetchFromScheduledTaskQueue(tasks);
    Runnable task;
    // Tasks added meanwhile run in the next turn, as a driver wants to leave.
    for (int i = tasks.size(); i > 0 && (task = tasks.poll()) != null; i--) {
      try {
        task.run();
      } catch (Throwable e) {
        LOG.warn("A task of the event loop failed", e);
      }
    }
  }

  /** Tells Netty's I/O handler whether and how long it can block. Owner only. */
  private final class Turn implements IoHandlerContext {

    private long maxNanos;

    /**
     * Called before the selector blocks, and again before Netty would clear an interrupt, which is
     * meant for the driving caller.
     *
     * <p>It must look at all that other threads wake the owner for. Netty's handlers drop a wake-up
     * that comes before they are about to block, and ask here after that.
     */
    @Override
    public boolean canBlock() {
      return maxNanos > 0
          && tasks.isEmpty()
          && !isTurnOver()
          && !hasScheduledTasks()
          && !Thread.currentThread().isInterrupted();
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return Math.min(maxNanos, DrivenEventLoop.this.delayNanos(currentTimeNanos, maxNanos));
    }

    @Override
    public long deadlineNanos() {
      long latest = ticker().nanoTime() + maxNanos;
      long scheduled = nextScheduledTaskDeadlineNanos();
      return scheduled == -1 ? latest : Math.min(scheduled, latest);
    }
  }

  private void keep() {
    KEPT.set(this);
    int quiet = QUIET_LOOKS;
    long drivesBefore = drives;
    while (!terminated.isDone()) {
      boolean watch = quiet >= QUIET_LOOKS || shuttingDown;
      if (owner.get() == null && owner.compareAndSet(null, keeper)) {
        if (watch || isKeeperNeeded()) {
          quiet = runUntilDriverWanted() ? 0 : QUIET_LOOKS;
        } else {
          // A check: no caller has handled the sockets for a while.
          turn(0);
          while (isKeeperNeeded() && !shuttingDown) {
            turn(MAX_SELECT_NANOS);
          }
        }
        if (terminated.isDone()) {
          return;
        }
        owner.set(null);
        drivesBefore = drives;
      }
      // A driver runs the tasks, or wakes the keeper when it leaves.
      if ((tasks.isEmpty() || owner.get() != null) && !shuttingDown) {
        LockSupport.parkNanos(this, LOOK_NANOS);
        Thread.interrupted(); // An interrupt would keep the selector from blocking ever again.
      }
      long drivesNow = drives;
      quiet = drivesNow == drivesBefore ? quiet + 1 : 0;
      drivesBefore = drivesNow;
    }
  }

  /** Runs the loop until a caller wants it. Returns false if the loop has ended. */
  private boolean runUntilDriverWanted() {
    while (!isTurnOver()) {
      turn(MAX_SELECT_NANOS);
    }
    if (shuttingDown) {
      shutDown();
      return false;
    }
    driverWanted = false;
    return true;
  }

  private boolean isKeeperNeeded() {
    return inFlight > 0 || holds > 0 || !tasks.isEmpty() || nextScheduledTaskDeadlineNanos() != -1;
  }

  private void shutDown() {
    handler.prepareToDestroy();
    do {
      turn(0);
    } while (!tasks.isEmpty());
    cancelScheduledTasks();
    handler.destroy();
    releaseBuffer();
    terminated.setSuccess(null);
  }

  // ---- Netty's interface

  @Override
  public void execute(Runnable task) {
    if (terminated.isDone()) {
      throw new RejectedExecutionException("The event loop has ended");
    }
    tasks.add(task);
    Thread current = owner.get();
    if (current == null) {
      LockSupport.unpark(keeper);
    } else if (current != Thread.currentThread()) {
      handler.wakeup();
    }
    if (terminated.isDone() && tasks.remove(task)) {
      throw new RejectedExecutionException("The event loop has ended");
    }
  }

  @Override
  public boolean isExecutorThread(Thread thread) {
    return owner.get() == thread;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return owner.get() == thread;
  }

  @Override
  public boolean inEventLoop() {
    return owner.get() == Thread.currentThread();
  }

  @Override
  public IoEventLoop next() {
    return this;
  }

  @Override
  public IoEventLoopGroup parent() {
    return parent;
  }

  @Override
  @SuppressWarnings("deprecation") // Netty still asks for it.
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  @SuppressWarnings("deprecation") // Netty still asks for it.
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Override
  public Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> promise = newPromise();
    Runnable registration =
        () -> {
          try {
            promise.setSuccess(handler.register(handle));
          } catch (Exception e) {
            promise.setFailure(e);
          }
        };
    if (inEventLoop()) {
      registration.run();
    } else {
      execute(registration);
    }
    return promise;
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return handler.isCompatible(type);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> type) {
    return handler.getClass().equals(type);
  }

  @Override
  public boolean isShuttingDown() {
    return shuttingDown;
  }

  @Override
  public boolean isShutdown() {
    return terminated.isDone();
  }

  @Override
  public boolean isTerminated() {
    return terminated.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    shuttingDown = true;
    handler.wakeup();
    LockSupport.unpark(keeper);
    return terminated;
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester") // Netty calls it by its name.
  public void shutdown() {
    shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  @Override
  public Future<?> terminationFuture() {
    return terminated;
  }
}
