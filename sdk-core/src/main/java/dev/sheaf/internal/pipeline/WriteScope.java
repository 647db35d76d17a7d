// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.pipeline.CommandHolder.Tracked;
import dev.sheaf.internal.pipeline.PendingQueue.Chain;
import io.lettuce.core.protocol.CommandWrapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The commands that the current thread has written but not yet sent, by node connection.
 *
 * <p>There are two kinds. A <em>batch</em> collects commands until it ends; each connection then
 * gets its share in one step and sends it in one write. A <em>blocking call</em> collects commands
 * until it waits. It can then drive the event loop itself: write and read without another thread. A
 * thread that must not block there, such as a virtual one, can at least write, and look for the
 * reply before it parks.
 *
 * <p>Confined to its thread. A batch inside a batch becomes part of the outer one. A blocking call
 * inside a batch first sends the commands of the batch, since its reply may depend on them.
 */
public final class WriteScope {

  private static final ThreadLocal<@Nullable WriteScope> CURRENT = new ThreadLocal<>();

  /**
   * Most blocked callers with which one that may not drive writes its own request. Four gain little
   * by it, and on busy processors more by batches.
   */
  private static final int FEW_CALLERS = 2;

  /**
   * How often a virtual thread looks for its reply before it parks: often enough for a server on
   * the same machine. With 20 it was no faster.
   */
  private static final int LOOKS = 5;

  /** How long to wait for room in a full queue, in nanoseconds; 0 to fail at once. */
  private final long roomNanos;

  /** Counts the blocked callers of the client; null if this is not a blocking call. */
  private final @Nullable AtomicInteger blockedCallers;

  /** The connection whose event loop this thread owns. */
  private @Nullable NodePipeline driven;

  private @Nullable DrivenEventLoop drivenLoop;

  private @Nullable NodePipeline pipeline;
  private @Nullable Chain chain;

  /** The commands for all connections but the first. */
  private @Nullable Map<NodePipeline, Chain> more;

  private @Nullable Set<Object> marks;

  /** Takes the commands of a call for which Lettuce sends several; else null. */
  private @Nullable List<Tracked<?, ?, ?>> parts;

  /** When the commands were called, by System.nanoTime, if before this scope began; else 0. */
  private final long calledNanos;

  private WriteScope(long roomNanos, @Nullable AtomicInteger blockedCallers, long calledNanos) {
    this.roomNanos = roomNanos;
    this.blockedCallers = blockedCallers;
    this.calledNanos = calledNanos;
  }

  /** Runs code that writes commands, then sends them. Commands that find no room fail. */
  public static void run(Runnable writes) {
    run(writes, 0);
  }

  /** Runs code that writes commands, then sends them. Waits for room, at most the given time. */
  public static void runBlocking(Runnable writes, Duration timeout) {
    run(writes, timeout.toNanos());
  }

  /**
   * Runs code that writes commands inside the current scope, even that of a blocking call, so that
   * all of them are sent in one write. Sends them at the end if there is no current scope.
   */
  public static void join(Runnable writes) {
    if (CURRENT.get() == null) {
      run(writes, 0);
    } else {
      writes.run();
    }
  }

  private static void run(Runnable writes, long roomNanos) {
    WriteScope outer = CURRENT.get();
    if (outer != null && (outer.blockedCallers == null || roomNanos > 0)) {
      writes.run();
      return;
    }
    gather(writes, new WriteScope(roomNanos, null, 0), outer);
  }

  /**
   * As {@link #runBlocking}, for commands that were called earlier.
   *
   * @param calledNanos when they were called, by System.nanoTime
   */
  public static void runLate(Runnable writes, long calledNanos, Duration timeout) {
    gather(writes, new WriteScope(timeout.toNanos(), null, calledNanos), CURRENT.get());
  }

  private static void gather(Runnable writes, WriteScope scope, @Nullable WriteScope outer) {
    CURRENT.set(scope);
    try {
      writes.run();
    } finally {
      CURRENT.set(outer);
      scope.submit();
    }
  }

  /**
   * Runs a call that writes commands and then waits for their replies through {@link #await}. The
   * calling thread can drive the event loop while it waits.
   *
   * @param timeout how long the call may wait for room in a full queue
   */
  public static <T extends @Nullable Object> T call(
      AtomicInteger blockedCallers, Duration timeout, Callable<T> call) throws Exception {
    WriteScope outer = CURRENT.get();
    if (outer != null && outer.blockedCallers != null) {
      return call.call();
    }
    WriteScope scope = begin(outer, blockedCallers, timeout);
    try {
      return call.call();
    } finally {
      scope.end(outer, blockedCallers);
    }
  }

  /** As {@link #call}, for code without checked exceptions. */
  public static <T extends @Nullable Object> T supply(
      AtomicInteger blockedCallers, Duration timeout, Supplier<T> call) {
    WriteScope outer = CURRENT.get();
    if (outer != null && outer.blockedCallers != null) {
      return call.get();
    }
    WriteScope scope = begin(outer, blockedCallers, timeout);
    try {
      return call.get();
    } finally {
      scope.end(outer, blockedCallers);
    }
  }

  /**
   * Runs a call that does not wait through {@link #await}. Sends the collected commands first, and
   * collects none during the call.
   */
  public static <T extends @Nullable Object> T pass(Callable<T> call) throws Exception {
    WriteScope outer = CURRENT.get();
    if (outer == null) {
      return call.call();
    }
    outer.submit();
    CURRENT.remove();
    try {
      return call.call();
    } finally {
      CURRENT.set(outer);
    }
  }

  private static WriteScope begin(
      @Nullable WriteScope outer, AtomicInteger blockedCallers, Duration timeout) {
    if (outer != null) {
      outer.submit();
    }
    WriteScope scope = new WriteScope(timeout.toNanos(), blockedCallers, 0);
    CURRENT.set(scope);
    blockedCallers.incrementAndGet();
    return scope;
  }

  private void end(@Nullable WriteScope outer, AtomicInteger blockedCallers) {
    blockedCallers.decrementAndGet();
    CURRENT.set(outer);
    submit();
  }

  /**
   * Sends the collected commands of the current thread, which is about to wait, and drives the
   * event loop if it can, until the future is done.
   *
   * @param done the future to wait for; completed by any thread
   * @param deadlineNanos when to stop waiting, by System.nanoTime
   * @return whether it is done; if not, the caller must still wait for it
   */
  public static boolean await(CompletableFuture<?> done, long deadlineNanos) {
    // An interrupted thread never waits, even if the reply happens to be there already.
    boolean interrupted = Thread.currentThread().isInterrupted();
    WriteScope scope = CURRENT.get();
    if (scope != null) {
      scope.sendAndDrive(done, deadlineNanos);
    }
    return !interrupted && done.isDone();
  }

  private void sendAndDrive(CompletableFuture<?> done, long deadlineNanos) {
    NodePipeline main = pipeline;
    Chain commands = chain;
    boolean drives = DrivenEventLoop.mayDrive();
    if (blockedCallers == null
        || main == null
        || commands == null
        || !(drives ? ownsLoop(blockedCallers, main, commands) : ownsMain(blockedCallers, main))) {
      submit();
      return;
    }
    DrivenEventLoop loop = Objects.requireNonNull(drivenLoop);
    boolean alone = loop.isIdle();
    boolean sent = false;
    // What the event loop writes, such as a read that follows a redirection, is not this caller's
    // to hold back.
    CURRENT.set(null);
    try {
      sent = submitHere(loop);
      if (sent && drives) {
        loop.drive(done, deadlineNanos, main.yields());
      } else if (sent) {
        loop.look(done, alone ? looks(main) : 0);
      }
    } finally {
      CURRENT.set(this);
      drivenLoop = null;
      if (drives || !sent) {
        loop.leave();
      }
      if (!sent) {
        submit();
      }
    }
  }

  private static int looks(NodePipeline main) {
    return DrivenEventLoop.isVirtual() ? Math.max(LOOKS, main.yields()) : main.yields();
  }

  /** Tries to take the event loop of the main connection, for a thread that may not drive. */
  private boolean ownsMain(AtomicInteger blockedCallers, NodePipeline main) {
    DrivenEventLoop loop = main.loop();
    if (loop == null || blockedCallers.get() > FEW_CALLERS || !DrivenEventLoop.mayLook()) {
      return false;
    }
    boolean owns = own(main);
    if (!owns) {
      loop.wantDriver();
    }
    return owns;
  }

  /** Tries to take the event loop of a connection to send these commands on. */
  private boolean ownsLoop(AtomicInteger blockedCallers, NodePipeline main, Chain commands) {
    DrivenEventLoop loop = main.loop();
    if (loop == null) {
      return false;
    }
    Lanes lanes = more == null ? main.lanes() : null;
    int blocked = blockedCallers.get();
    boolean owns = false;
    if (blocked <= (lanes == null ? 1 : lanes.drivers())) {
      owns = lanes == null ? own(main) : lanes.tryDrive(commands, this::own);
      if (!owns) {
        loop.wantDriver();
      }
    }
    if (!owns && lanes != null && commands.areOfAnyConnection()) {
      lanes.missed(blocked);
    }
    return owns;
  }

  /** Tries to take the event loop of a connection. The socket stays on it while it is owned. */
  private boolean own(NodePipeline candidate) {
    DrivenEventLoop loop = candidate.loop();
    if (loop == null || !loop.tryDrive()) {
      return false;
    }
    if (candidate.loop() != loop) {
      loop.leave();
      return false;
    }
    driven = candidate;
    drivenLoop = loop;
    return true;
  }

  /**
   * Sends the collected commands as the owner of the event loop.
   *
   * @return whether all were sent; the others are still held, for a queue was full or closed
   */
  private boolean submitHere(DrivenEventLoop loop) {
    NodePipeline main = Objects.requireNonNull(pipeline);
    NodePipeline to = Objects.requireNonNull(driven);
    Chain commands = Objects.requireNonNull(chain);
    Lanes lanes = main.lanes();
    if (lanes != null && !lanes.enter(to, commands)) {
      return false;
    }
    // Cleared first: if something below throws, the commands must not be queued twice.
    pipeline = null;
    chain = null;
    if (!trySubmit(to, commands, true)) {
      pipeline = main;
      chain = commands;
      return false;
    }
    Map<NodePipeline, Chain> others = more;
    more = null;
    if (others != null) {
      Map<NodePipeline, Chain> full = new LinkedHashMap<>();
      others.forEach(
          (other, part) ->
              Lanes.submit(
                  other,
                  part,
                  (on, chosen) -> {
                    if (!trySubmit(on, chosen, on.loop() == loop)) {
                      full.put(other, chosen);
                    }
                  }));
      more = full.isEmpty() ? null : full;
    }
    return more == null;
  }

  /** Sends commands if there is room. If not, they count as unanswered on no connection. */
  private static boolean trySubmit(NodePipeline to, Chain commands, boolean here) {
    boolean sent = to.queue().trySubmit(commands, here);
    if (!sent) {
      commands.forEach(EncodedCommand::ended);
    }
    return sent;
  }

  /** Sends the commands collected so far. Later ones are collected again. */
  public static void release() {
    WriteScope scope = CURRENT.get();
    if (scope != null) {
      scope.submit();
    }
  }

  /** Sends the commands collected so far if their requests have at least that many bytes. */
  public static void releaseFrom(long bytes) {
    WriteScope scope = CURRENT.get();
    if (scope != null && scope.heldBytes() >= bytes) {
      scope.submit();
    }
  }

  private long heldBytes() {
    long held = chain == null ? 0 : chain.bytes();
    if (more != null) {
      for (Chain part : more.values()) {
        held += part.bytes();
      }
    }
    return held;
  }

  private void submit() {
    NodePipeline to = pipeline;
    Chain commands = chain;
    Map<NodePipeline, Chain> others = more;
    if (to == null && others == null) {
      return;
    }
    pipeline = null;
    chain = null;
    more = null;
    long beganNanos = roomNanos > 0 ? System.nanoTime() : 0;
    if (to != null && commands != null) {
      submit(to, commands, beganNanos);
    }
    if (others != null) {
      others.forEach((other, part) -> submit(other, part, beganNanos));
    }
  }

  private void submit(NodePipeline main, Chain part, long beganNanos) {
    Lanes.submit(
        main,
        part,
        (to, commands) -> {
          if (roomNanos > 0) {
            to.queue().submitWaiting(commands, beganNanos, beganNanos + roomNanos);
          } else {
            to.queue().submit(commands);
          }
        });
  }

  /** The scope of the current thread, or null. */
  public static @Nullable WriteScope current() {
    return CURRENT.get();
  }

  /**
   * How long the current blocking call may wait for room in a full queue, in nanoseconds; 0 outside
   * of such a call.
   */
  public static long roomNanos() {
    WriteScope scope = CURRENT.get();
    return scope == null || scope.blockedCallers == null ? 0 : scope.roomNanos;
  }

  /** Returns a list to which the current thread adds the commands that it sends from now on. */
  public static List<Tracked<?, ?, ?>> trackParts() {
    List<Tracked<?, ?, ?>> parts = new ArrayList<>();
    WriteScope scope = CURRENT.get();
    if (scope != null) {
      scope.parts = parts;
    }
    return parts;
  }

  /** Ends {@link #trackParts}. */
  public static void trackNoParts() {
    WriteScope scope = CURRENT.get();
    if (scope != null) {
      scope.parts = null;
    }
  }

  /** Adds a command that waits for a connection to the list of {@link #trackParts}. */
  public static void tracks(Tracked<?, ?, ?> part) {
    WriteScope scope = CURRENT.get();
    if (scope != null && scope.parts != null) {
      scope.parts.add(part);
    }
  }

  /** Whether the current thread is in a batch that has not seen this mark yet. */
  public static boolean isFirst(Object mark) {
    WriteScope scope = CURRENT.get();
    if (scope == null || scope.blockedCallers != null) {
      return false;
    }
    if (scope.marks == null) {
      scope.marks = new HashSet<>();
    }
    return scope.marks.add(mark);
  }

  /** Collects a command of the current thread. */
  public void hold(NodePipeline to, EncodedCommand<?, ?, ?> command) {
    collect(to, command);
    releaseParts();
  }

  private void collect(NodePipeline to, EncodedCommand<?, ?, ?> command) {
    if (blockedCallers != null) {
      command.awaitedByCaller();
    }
    if (calledNanos != 0) {
      command.calledBy(calledNanos);
    }
    if (parts != null) {
      Tracked<?, ?, ?> part = CommandWrapper.unwrap(command.getDelegate(), Tracked.class);
      if (part != null) {
        parts.add(part);
      }
    }
    partOf(to).append(command);
  }

  /** Sends early what would else be in memory twice, such as a large MSET of many slots. */
  private void releaseParts() {
    if (parts != null && heldBytes() >= Limits.BYTES_PER_SLICE) {
      submit();
    }
  }

  /** Collects commands that must stay together. */
  void hold(NodePipeline to, Chain commands) {
    commands.forEach(command -> collect(to, command));
    releaseParts();
  }

  private Chain partOf(NodePipeline to) {
    if (chain == null) {
      pipeline = to;
      chain = new Chain();
    } else if (pipeline != to) {
      if (more == null) {
        more = new LinkedHashMap<>();
      }
      return more.computeIfAbsent(to, other -> new Chain());
    }
    return chain;
  }
}
