// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.common.Meters;
import dev.sheaf.internal.sync.CallerThread.Run;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects loops that make one round trip per iteration.
 *
 * <p>A loop is a run of {@value #MIN_CALLS} or more blocking calls of one command by one thread,
 * from one place inside a loop of application code, without a pause of 100 ms. The thread must
 * spend at least {@value #MIN_WAITING_PERCENT} % of the time waiting; otherwise batching would gain
 * little. The origin is inspected at the 4th call, the 8th, and each doubling; calls in between are
 * assumed to have the same origin.
 *
 * <p>Thread-safe.
 */
public final class LoopSampler {

  /** The least number of calls in a run to report a loop. */
  static final int MIN_CALLS = 8;

  /** The least share of time spent waiting; with less, batching gains less than this. */
  static final int MIN_WAITING_PERCENT = 25;

  /** Most places to remember; the least recently seen one is dropped. */
  static final int MAX_SITES = 256;

  /** Most log lines of a client, so that changing places cannot flood the log. */
  static final int MAX_LOG_LINES = MAX_SITES;

  /** The delay before a new place is logged, to know the length of its runs: 1 second. */
  private static final long LOG_DELAY_SECONDS = 1;

  static final String METER = "sheaf.loops.avoidable.round.trips";

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.loops");

  /** Methods that send no command. */
  private static final Set<String> NO_COMMANDS =
      Set.of(
          "getStatefulConnection",
          "getConnection",
          "isOpen",
          "setTimeout",
          "nodes",
          "upstream",
          "masters",
          "replicas",
          "slaves",
          "all",
          "setAutoFlushCommands",
          "flushCommands",
          "getJsonParser");

  private final Function<String, String> advice;
  private final @Nullable StatefulConnection<?, ?> connection;
  private final ScheduledExecutorService later;
  private final Counter counter;
  private final LongSupplier nanoTime;

  /** In place of a site: the place is not inside a loop. */
  private final Site noLoop = new Site(List.of(), "");

  /** Sites by place and command, in order of last use. Guarded by itself. */
  private final Map<Place, Site> sites =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, Site> eldest) {
          return size() > MAX_SITES;
        }
      };

  private final PerSecond looks;

  // Guarded by the sites.
  private int logLines;
  private final Set<Site> unlogged = new LinkedHashSet<>();

  private record Place(long fingerprint, String command) {}

  /**
   * Creates a detector.
   *
   * @param client the client's name in the meter
   * @param advice returns the advice for the name of a command
   * @param connection the connection of the commands; null if there are several
   * @param later the executor that writes log lines
   */
  public LoopSampler(
      @Nullable MeterRegistry registry,
      String client,
      Function<String, String> advice,
      @Nullable StatefulConnection<?, ?> connection,
      ScheduledExecutorService later) {
    this(registry, client, advice, connection, later, System::nanoTime);
  }

  /**
   * Creates a detector with a clock of its own.
   *
   * @param nanoTime the clock for calls and pauses, as {@link System#nanoTime}
   */
  public LoopSampler(
      @Nullable MeterRegistry registry,
      String client,
      Function<String, String> advice,
      @Nullable StatefulConnection<?, ?> connection,
      ScheduledExecutorService later,
      LongSupplier nanoTime) {
    this.advice = advice;
    this.connection = connection;
    this.later = later;
    this.nanoTime = nanoTime;
    this.looks = new PerSecond(CallSite.MAX_LOOKS_PER_SECOND, nanoTime);
    this.counter =
        Counter.builder(METER)
            .description("Round trips that loops over single commands could have shared")
            .tag("client", client)
            .register(Meters.in(registry));
  }

  /** The clock for calls. */
  LongSupplier nanoTime() {
    return nanoTime;
  }

  /** Called on the calling thread, after a blocking command that {@link Run#isOfInterest}. */
  void called(CallerThread caller, Run run, Method method, Object @Nullable [] arguments) {
    if (run.isLookDue()) {
      look(caller, run, method, arguments);
    } else {
      goOn(run);
    }
  }

  private void look(CallerThread caller, Run run, Method method, Object @Nullable [] arguments) {
    if (looks.tryTake()) {
      CallSite place = CallSite.ofCurrentThread();
      if (caller.cameFrom(run, place.fingerprint())
          && run.site() == null
          && run.calls() >= MIN_CALLS
          && caller.waitingPercent(run) >= MIN_WAITING_PERCENT
          && place.isOfApplication()
          && isBatchable(method, arguments)) {
        Site site = siteOf(place, nameOf(method, arguments));
        if (site != null) {
          begin(caller, run, site);
          return;
        }
      }
    }
    goOn(run);
  }

  private boolean isBatchable(Method method, Object @Nullable [] arguments) {
    CommandTraits command = traitsOf(method, arguments);
    return !command.isBlocking()
        && !command.isCursor()
        && !command.isOfConnection()
        && !NO_COMMANDS.contains(method.getName())
        && !isInTransaction();
  }

  /** Whether commands are only queued in a transaction, and answered at once. */
  private boolean isInTransaction() {
    return connection instanceof StatefulRedisConnection<?, ?> server && server.isMulti();
  }

  private static CommandTraits traitsOf(Method method, Object @Nullable [] arguments) {
    ProtocolKeyword dispatched = dispatched(method, arguments);
    return dispatched == null
        ? CommandTraits.ofMethod(method.getName())
        : CommandTraits.of(dispatched);
  }

  private static @Nullable ProtocolKeyword dispatched(
      Method method, Object @Nullable [] arguments) {
    return arguments != null
            && arguments.length > 0
            && method.getName().equals("dispatch")
            && arguments[0] instanceof ProtocolKeyword keyword
        ? keyword
        : null;
  }

  private static String nameOf(Method method, Object @Nullable [] arguments) {
    CommandTraits command = traitsOf(method, arguments);
    if (command.isKnown()) {
      return command.name().replace('|', ' ');
    }
    ProtocolKeyword dispatched = dispatched(method, arguments);
    return dispatched == null ? method.getName().toUpperCase(Locale.ROOT) : dispatched.toString();
  }

  /** The site of a place; null if it is not inside a loop of the application. */
  private @Nullable Site siteOf(CallSite place, String command) {
    Place key = new Place(place.fingerprint(), command);
    synchronized (sites) {
      Site known = sites.get(key);
      if (known != null) {
        return known == noLoop ? null : known;
      }
    }
    boolean loop = place.isInLoop();
    synchronized (sites) {
      Site site = loop ? new Site(place.describe(), command) : noLoop;
      Site before = sites.putIfAbsent(key, site);
      return before == null ? (loop ? site : null) : before;
    }
  }

  private void begin(CallerThread caller, Run run, Site site) {
    caller.found(run, site);
    site.began(run.calls());
    counter.increment(run.calls() - 1);
    if (site.mayReport()) {
      logLater(site);
    }
  }

  private void goOn(Run run) {
    Site site = run.site();
    if (site != null) {
      site.wentOn(1, run.calls());
      counter.increment();
    }
  }

  private void logLater(Site site) {
    synchronized (sites) {
      if (logLines == MAX_LOG_LINES) {
        return;
      }
      logLines++;
      unlogged.add(site);
    }
    try {
      later.schedule(() -> log(site), LOG_DELAY_SECONDS, TimeUnit.SECONDS);
    } catch (RejectedExecutionException shutDown) {
      log(site);
    }
  }

  private void log(Site site) {
    boolean first;
    synchronized (sites) {
      first = unlogged.remove(site);
    }
    if (first) {
      LOG.info(site.text(advice.apply(site.command())));
    }
  }

  /** Logs pending reports now. */
  public void close() {
    List<Site> rest;
    synchronized (sites) {
      rest = List.copyOf(unlogged);
    }
    rest.forEach(this::log);
  }

  /** The advice for a loop over this command. */
  public static String remedyFor(String command) {
    return switch (command) {
      case "GET" -> "sheaf.loop(keys) or getAll";
      case "SET" -> "sheaf.setAll, or sheaf.mapEach,";
      case "EXISTS" -> "sheaf.existsAll";
      case "TOUCH" -> "sheaf.touchAll";
      case "DEL", "UNLINK" -> "sheaf.deleteAll";
      // A batch of KEYS would block the server even longer.
      case "KEYS" ->
          "a set of the keys' names, or one SCAN (KEYS makes all clients wait while the server"
              + " looks at every key),";
      default -> "sheaf.batch(), or sheaf.mapEach where a body needs each result,";
    };
  }

  /** The reports, most avoidable round trips first. */
  public List<LoopReport> reports() {
    List<LoopReport> reports = new ArrayList<>();
    synchronized (sites) {
      sites.values().stream()
          .filter(site -> site != noLoop)
          .forEach(site -> reports.add(site.report()));
    }
    reports.sort(Comparator.comparingLong(LoopReport::avoidableRoundTrips).reversed());
    return List.copyOf(reports);
  }

  /** The counts of loops at one place. Thread-safe. */
  static final class Site {

    private final List<String> frames;
    private final String command;
    private final LongAdder executions = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private final AtomicInteger longestRun = new AtomicInteger();
    private final AtomicBoolean reported = new AtomicBoolean();

    private Site(List<String> frames, String command) {
      this.frames = frames;
      this.command = command;
    }

    void began(int callsSoFar) {
      executions.increment();
      wentOn(callsSoFar, callsSoFar);
    }

    void wentOn(int newCalls, int callsInARow) {
      calls.add(newCalls);
      if (callsInARow > longestRun.get()) {
        // A cheap update that may lose a concurrent one.
        longestRun.lazySet(callsInARow);
      }
    }

    /** Returns true the first time. */
    boolean mayReport() {
      return reported.compareAndSet(false, true);
    }

    LoopReport report() {
      long executed = executions.sum();
      // Read after the executions, so that the difference is not too small.
      long called = calls.sum();
      return new LoopReport(
          frames.get(0),
          frames.subList(1, frames.size()),
          command,
          executed,
          called,
          Math.max(0, called - executed),
          null);
    }

    String command() {
      return command;
    }

    /**
     * Creates the report.
     *
     * @param remedy the advice
     */
    String text(String remedy) {
      int row = longestRun.get();
      return "Called "
          + command
          + " "
          + row
          + " times in a row from "
          + String.join(" < ", frames)
          + "; "
          + remedy
          + " would have saved "
          + (row - 1)
          + " round trips";
    }
  }
}
