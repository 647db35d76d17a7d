// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

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
 * A Netty event loop whose thread changes: a blocking caller takes it, writes, and runs it until
 * its own reply is there. So a lone caller needs no second thread to send its request and to read
 * the reply, which saves two hand-overs between threads for each call.
 *
 * <p>The loop belongs to one thread at a time, its owner. All of Netty's rules hold for the owner:
 * handlers run on it, and nothing else runs meanwhile. There are two kinds of owner:
 *
 * <ul>
 *   <li>A <em>driver</em> is a caller that blocks until a reply. It takes the loop only if nobody
 *       has it, and leaves as soon as its reply is there, its time is over, it is interrupted, or
 *       work appears that must not run on a caller's thread ({@link #callbacks}, {@link #hold}).
 *   <li>The <em>keeper</em> is a thread of the loop's own. It runs the loop for everybody who does
 *       not drive: futures, callers that park, connections that are being opened.
 * </ul>
 *
 * <p>While nobody drives and nothing is under way, the keeper waits in the selector, as Netty's own
 * event loops do. A caller that could have driven then asks for the loop ({@link #wantDriver}); the
 * keeper lets go of it, and looks at the sockets every {@value #LOOK_MILLIS} ms only, so that a
 * push or a lost connection is noticed within that time. After a second without a driver it waits
 * in the selector again.
 *
 * <p>Thread-safe, but for what says that it is the owner's.
 */
public final class DrivenEventLoop extends AbstractScheduledEventExecutor implements IoEventLoop {

  /** The longest time a push or a lost socket waits to be noticed while callers drive. */
  static final int LOOK_MILLIS = 40;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

  /** Looks without a driver between them, after which the keeper waits in the selector again. */
  private static final int QUIET_LOOKS = 25;

  /**
   * The longest time in the selector. Nothing depends on it, and it is so long that a missing
   * wake-up does not go unnoticed.
   */
  private static final long MAX_SELECT_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Thread.isVirtual, which JDK 17 has not. */
  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualMethod();

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.io");

  private final IoEventLoopGroup parent;
  private final IoHandler handler;
  private final Thread keeper;
  private final Turn context = new Turn();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
  private final Promise<?> terminated = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);
  private volatile boolean driverWanted;
  private volatile boolean shuttingDown;
  private volatile long drives;

  /** Owner only: whether Netty's part was initialized. */
  private boolean initialized;

  /** Owner only: commands on this loop's sockets that have no reply. */
  private int inFlight;

  /** Owner only: those of them whose replies go to callbacks and not to a blocked caller. */
  private int callbacks;

  /** Owner only: sockets that the keeper alone may serve, such as those that are being opened. */
  private int holds;

  DrivenEventLoop(IoEventLoopGroup parent, IoHandlerFactory handlers, ThreadFactory threads) {
    this.parent = parent;
    this.handler = handlers.newHandler(this);
    this.keeper = threads.newThread(this::keep);
    keeper.start();
  }

  // ---- what drivers do

  private static @Nullable MethodHandle isVirtualMethod() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * Whether the current thread may be a driver: not a virtual thread, whose carrier would be
   * blocked in the selector; not one of a fork-join pool, which has to know that it blocks; not an
   * event loop's.
   */
  public static boolean mayDrive() {
    Thread thread = Thread.currentThread();
    return thread.getClass() == Thread.class
        || (!(thread instanceof ForkJoinWorkerThread)
            && !(thread instanceof FastThreadLocalThread)
            && !isVirtual(thread));
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      throw new LinkageError("Thread.isVirtual failed", e);
    }
  }

  /**
   * Makes the calling thread the owner if there is none and it may drive.
   *
   * @return whether it is the owner now; then it must call {@link #leave}
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

  /**
   * Runs the loop until something is done. Owner only.
   *
   * @param done what the caller waits for; completed by any thread
   * @param deadlineNanos when it stops waiting, by System.nanoTime
   */
  public void drive(CompletableFuture<?> done, long deadlineNanos) {
    Thread thread = Thread.currentThread();
    // Another thread may complete it: one that decodes, or one that ends what is late.
    done.whenComplete((value, failure) -> wakeUp());
    while (callbacks == 0 && holds == 0 && !shuttingDown && !done.isDone()) {
      long leftNanos = deadlineNanos - System.nanoTime();
      if (leftNanos <= 0 || thread.isInterrupted()) {
        return;
      }
      turn(Math.min(leftNanos, MAX_SELECT_NANOS));
    }
  }

  private void wakeUp() {
    if (!inEventLoop()) {
      handler.wakeup();
    }
  }

  /** Gives the loop back. The keeper goes on with what is under way. Owner only. */
  public void leave() {
    boolean keeperNeeded = inFlight > 0 || holds > 0;
    long drivesBefore = drives;
    drives = drivesBefore + 1;
    owner.set(null);
    if (keeperNeeded || shuttingDown || !tasks.isEmpty()) {
      LockSupport.unpark(keeper);
    }
  }

  /** Asks the keeper to leave the loop to callers as soon as nothing is under way. */
  public void wantDriver() {
    if (!driverWanted) {
      driverWanted = true;
      handler.wakeup();
    }
  }

  /** What the thread that runs the loop does now; empty if none does. */
  public StackTraceElement[] ownerStack() {
    Thread running = owner.get();
    return running == null ? new StackTraceElement[0] : running.getStackTrace();
  }

  // ---- what the owner counts

  /**
   * Counts commands that were written. Owner only.
   *
   * @param callbacks how many of them are not awaited by a blocked caller
   */
  public void written(int commands, int callbacks) {
    inFlight += commands;
    this.callbacks += callbacks;
  }

  /** Counts commands that were answered or lost, as {@link #written} counted them. Owner only. */
  public void answered(int commands, int callbacks) {
    inFlight -= commands;
    this.callbacks -= callbacks;
  }

  /** From now on the keeper alone runs the loop, until {@link #release}. Owner only. */
  public void hold() {
    holds++;
  }

  /** Ends one {@link #hold}. Owner only. */
  public void release() {
    holds--;
  }

  // ---- the loop

  /** Serves the sockets that are ready, waiting for one at most the given time, then the tasks. */
  private void turn(long maxNanos) {
    if (!initialized) {
      initialized = true;
      handler.initialize();
    }
    context.maxNanos = maxNanos;
    handler.run(context);
    fetchFromScheduledTaskQueue(tasks);
    Runnable task;
    // What tasks add comes in the next turn: a driver wants to leave.
    for (int i = tasks.size(); i > 0 && (task = tasks.poll()) != null; i--) {
      try {
        task.run();
      } catch (Throwable e) {
        LOG.warn("A task of the event loop failed", e);
      }
    }
  }

  /** What Netty's I/O handler asks before it blocks. Owner only. */
  private final class Turn implements IoHandlerContext {

    private long maxNanos;

    /**
     * Asked before the selector blocks and again before Netty would clear an interrupt, which
     * belongs to the caller that drives.
     */
    @Override
    public boolean canBlock() {
      return maxNanos > 0
          && tasks.isEmpty()
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
    int quiet = QUIET_LOOKS;
    long drivesBefore = drives;
    while (!terminated.isDone()) {
      boolean watch = quiet >= QUIET_LOOKS || shuttingDown;
      if (owner.get() == null && owner.compareAndSet(null, keeper)) {
        if (watch || isKeeperNeeded()) {
          quiet = runUntilDriverWanted() ? 0 : QUIET_LOOKS;
        } else {
          // A look: no caller has seen to the sockets for a while.
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
      // A driver runs the tasks, or wakes the keeper as it leaves.
      if ((tasks.isEmpty() || owner.get() != null) && !shuttingDown) {
        LockSupport.parkNanos(this, LOOK_NANOS);
        Thread.interrupted(); // An interrupt would keep the selector from blocking ever again.
      }
      long drivesNow = drives;
      quiet = drivesNow == drivesBefore ? quiet + 1 : 0;
      drivesBefore = drivesNow;
    }
  }

  /** Whether callers may have the loop: true when one wants it, false at the end of the loop. */
  private boolean runUntilDriverWanted() {
    while (!shuttingDown) {
      if (driverWanted && !isKeeperNeeded()) {
        driverWanted = false;
        return true;
      }
      turn(MAX_SELECT_NANOS);
    }
    shutDown();
    return false;
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
    terminated.setSuccess(null);
  }

  // ---- what Netty asks of an event loop

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
