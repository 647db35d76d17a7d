// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.common.Meters;
import dev.sheaf.internal.sync.CallRuns.Run;
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
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds loops that make one round trip after the other.
 *
 * <p>A loop is a run of {@value #MIN_CALLS} or more blocking calls of one command by one thread,
 * from one place that stands in a loop of the application's code, without a pause of 100 ms, in
 * which the thread spends at least {@value #MIN_WAITING_PERCENT} % of its time waiting: less, and
 * batching would gain little. The place is looked at with the 4th call, the 8th, and every
 * doubling; in between, calls are taken to come from there.
 *
 * <p>Thread-safe.
 */
public final class LoopSampler {

  /** From how many calls in a row on a loop is reported. */
  static final int MIN_CALLS = 8;

  /** What share of a run's time must be waiting: with less, batching gains less than this. */
  static final int MIN_WAITING_PERCENT = 25;

  /** How many places are remembered; the one seen longest ago gives way. */
  static final int MAX_SITES = 256;

  /** How many lines a client logs in its life, so that changing places cannot fill a log. */
  static final int MAX_LOG_LINES = MAX_SITES;

  /** How long after its first sight a place is logged, to know how long its runs are: 1 second. */
  private static final long LOG_DELAY_SECONDS = 1;

  static final String METER = "sheaf.loops.avoidable.round.trips";

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.loops");

  /** Methods that ask nothing of the server. */
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

  /** Stands for what is known of a place that is no loop. */
  private final LoopSite noLoop = new LoopSite(List.of(), "");

  /** By place and command, in the order in which they were last seen. Guarded by itself. */
  private final Map<Place, LoopSite> sites =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, LoopSite> eldest) {
          return size() > MAX_SITES;
        }
      };

  private final PerSecond looks;

  // Guarded by the sites.
  private int logLines;
  private final Set<LoopSite> unlogged = new LinkedHashSet<>();

  private record Place(long fingerprint, String command) {}

  /**
   * Creates a detector.
   *
   * @param client the client's name in the meter
   * @param advice what to write instead, for the name of a command
   * @param connection the one that the commands go to; null if there are several
   * @param later where log lines are written from
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
   * @param nanoTime the clock that calls and pauses are timed by, as {@link System#nanoTime}
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

  /** What calls are timed by. */
  LongSupplier nanoTime() {
    return nanoTime;
  }

  /** Called on the calling thread, after a blocking command that {@link Run#isOfInterest}. */
  void called(CallRuns runs, Run run, Method method, Object @Nullable [] arguments) {
    if (run.isLookDue()) {
      look(runs, run, method, arguments);
    } else {
      goOn(run);
    }
  }

  private void look(CallRuns runs, Run run, Method method, Object @Nullable [] arguments) {
    if (looks.tryTake()) {
      CallSite place = CallSite.ofCurrentThread();
      if (runs.cameFrom(run, place.fingerprint())
          && run.site() == null
          && run.calls() >= MIN_CALLS
          && runs.waitingPercent(run) >= MIN_WAITING_PERCENT
          && place.isOfApplication()
          && isBatchable(method, arguments)) {
        LoopSite site = siteOf(place, nameOf(method, arguments));
        if (site != null) {
          begin(runs, run, site);
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

  /** Then commands are only queued, and answered at once. */
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

  /** What is known of a place; null if no loop of the application's is there. */
  private @Nullable LoopSite siteOf(CallSite place, String command) {
    Place key = new Place(place.fingerprint(), command);
    synchronized (sites) {
      LoopSite known = sites.get(key);
      if (known != null) {
        return known == noLoop ? null : known;
      }
    }
    boolean loop = place.isInLoop();
    synchronized (sites) {
      LoopSite site = loop ? new LoopSite(place.describe(), command) : noLoop;
      LoopSite before = sites.putIfAbsent(key, site);
      return before == null ? (loop ? site : null) : before;
    }
  }

  private void begin(CallRuns runs, Run run, LoopSite site) {
    runs.found(run, site);
    site.began(run.calls());
    counter.increment(run.calls() - 1);
    if (site.mayReport()) {
      logLater(site);
    }
  }

  private void goOn(Run run) {
    LoopSite site = run.site();
    if (site != null) {
      site.wentOn(1, run.calls());
      counter.increment();
    }
  }

  private void logLater(LoopSite site) {
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

  private void log(LoopSite site) {
    boolean first;
    synchronized (sites) {
      first = unlogged.remove(site);
    }
    if (first) {
      LOG.info(site.text(advice.apply(site.command())));
    }
  }

  /** Logs what it would have logged soon. */
  public void close() {
    List<LoopSite> rest;
    synchronized (sites) {
      rest = List.copyOf(unlogged);
    }
    rest.forEach(this::log);
  }

  /** What saves the round trips of a loop over this command. */
  public static String remedyFor(String command) {
    return switch (command) {
      case "GET" -> "sheaf.loop(keys) or getAll";
      case "SET" -> "sheaf.setAll, or sheaf.mapEach,";
      case "EXISTS" -> "sheaf.existsAll";
      case "TOUCH" -> "sheaf.touchAll";
      case "DEL", "UNLINK" -> "sheaf.deleteAll";
      // A batch of them would hold up the server for longer still.
      case "KEYS" ->
          "a set of the keys' names, or one SCAN (KEYS makes all clients wait while the server"
              + " looks at every key),";
      default -> "sheaf.batch(), or sheaf.mapEach where a body needs each result,";
    };
  }

  /** What was found, the most wasteful first. */
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
}
