// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * What one thread may find in the keys that it alone writes, told from its own calls and nothing
 * else: it does not know which client sends them.
 *
 * <p>A server that is stopped may lose what it acknowledged, because replication is asynchronous.
 * The checker is told of that, and calls such a loss the server's.
 */
public final class ChaosChecker {

  /** What all threads found together. Thread-safe. */
  public static final class Findings {

    final LongAdder calls = new LongAdder();
    final LongAdder operations = new LongAdder();
    final AtomicLong unknown = new AtomicLong();
    final AtomicLong lostByServer = new AtomicLong();
    final AtomicLong pausedNanos = new AtomicLong();
    final AtomicLong heapBytes = new AtomicLong();
    final AtomicInteger violations = new AtomicInteger();
    final ConcurrentLinkedQueue<String> examples = new ConcurrentLinkedQueue<>();
    final Map<String, Integer> kinds = new ConcurrentHashMap<>();
    final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private volatile long serverLossUntil = Long.MIN_VALUE;

    /** A reply is read later than it was sent. */
    private static final long CLOCKS_MILLIS = 2_000;

    private volatile Predicate<LocalDateTime> serversSay = since -> false;

    /** From now on, for a time, servers may lose what they acknowledged. */
    void serversMayLose(long untilMillis) {
      serverLossUntil = untilMillis;
    }

    /** What tells whether a server says that it has lost writes since then. */
    void serversSay(Predicate<LocalDateTime> lost) {
      serversSay = lost;
    }

    /**
     * Whether servers may have lost what was acknowledged then, by what was done to them, or by
     * what they say.
     */
    boolean mayServersHaveLost(long sinceMillis) {
      long ago = ChaosRun.now() - sinceMillis + CLOCKS_MILLIS;
      return sinceMillis <= serverLossUntil
          || serversSay.test(LocalDateTime.now().minus(Duration.ofMillis(ago)));
    }

    void failed(Throwable failure) {
      failures.merge(failure.getClass().getSimpleName(), 1, Integer::sum);
    }

    void violated(String kind, String how) {
      violations.incrementAndGet();
      kinds.merge(kind, 1, Integer::sum);
      if (examples.size() < 20) {
        examples.add(kind + ": " + how);
      }
    }

    /** How often this kind of error was found: doubled, lost, mixed up, stale or stuck. */
    public int of(String kind) {
      return kinds.getOrDefault(kind, 0);
    }

    /** A call was answered, and so many commands in it were checked. */
    void checked(int commands) {
      calls.increment();
      operations.add(commands);
    }

    /** Calls that were answered, each of them checked. */
    public long calls() {
      return calls.sum();
    }

    /** Commands of one key each in these calls that were answered, each of them checked. */
    public long operations() {
      return operations.sum();
    }

    /** Writes that ended in a way that leaves open whether they ran. */
    public long unknown() {
      return unknown.get();
    }

    /** Losses of servers that were stopped. */
    public long lostByServer() {
      return lostByServer.get();
    }

    /** Calls that failed. */
    public long failed() {
      return failures.values().stream().mapToLong(count -> count).sum();
    }

    /** Pauses of more than a second between two counts of a thread, the sum of all threads. */
    public Duration paused() {
      return Duration.ofNanos(pausedNanos.get());
    }

    /** The largest growth of what the heap holds after a collection, in bytes. */
    public long heapBytes() {
      return heapBytes.get();
    }

    /** All of it as a sentence. */
    public String summary() {
      return calls
          + " calls, "
          + operations
          + " operations, "
          + of("doubled")
          + " doubled, "
          + of("lost")
          + " lost, "
          + of("mixed up")
          + " mixed up, "
          + of("stale")
          + " stale, "
          + of("stuck")
          + " stuck, "
          + unknown
          + " of unknown outcome, "
          + lostByServer
          + " lost by a stopped server; failures "
          + new TreeMap<>(failures)
          + (examples.isEmpty() ? "" : "; first findings " + examples);
    }
  }

  private final Findings findings;

  // Of the counter.
  private long counted;
  private long countUnknown;
  private long countedAt;

  // Of the value.
  private long confirmed;
  private long latestSent;
  private long confirmedAt;

  ChaosChecker(Findings findings, long nowMillis) {
    this.findings = findings;
    this.countedAt = nowMillis;
    this.confirmedAt = nowMillis;
  }

  /** INCR gave a value. */
  void incremented(long value, long nowMillis) {
    long step = value - counted;
    if (step > 1 + countUnknown) {
      findings.violated(
          "doubled",
          "the counter went from " + counted + " to " + value + ", " + countUnknown + " unknown");
    } else if (step < 1) {
      lost("the counter went from " + counted + " to " + value, countedAt);
    }
    countUnknown = Math.max(0, countUnknown - Math.max(0, step - 1));
    counted = value;
    countedAt = nowMillis;
  }

  /** INCR failed in a way that leaves open whether it ran. */
  void incrementUnknown() {
    findings.unknown.incrementAndGet();
    countUnknown++;
  }

  /** What the counter is in the end. */
  void counterIs(long value) {
    long step = value - counted;
    if (step > countUnknown) {
      findings.violated("doubled", "in the end " + value + " after " + counted);
    } else if (step < 0) {
      lost("in the end " + value + " after " + counted, countedAt);
    }
  }

  private void lost(String how, long since) {
    if (findings.mayServersHaveLost(since)) {
      findings.lostByServer.incrementAndGet();
    } else {
      findings.violated("lost", how);
    }
  }

  /** The number of the next value to write. */
  long nextValue() {
    return ++latestSent;
  }

  /** The write of the latest number was acknowledged. */
  void written(long nowMillis) {
    confirmed = latestSent;
    confirmedAt = nowMillis;
  }

  /** The thread's own value as it was read back; 0 if there is none. */
  void readBack(long number, long nowMillis) {
    if (number > latestSent) {
      findings.violated("mixed up", "read " + number + ", which was never written");
    } else if (number < confirmed) {
      if (findings.mayServersHaveLost(confirmedAt)) {
        findings.lostByServer.incrementAndGet();
      } else {
        findings.violated("stale", "read " + number + " after " + confirmed + " was acknowledged");
      }
    }
    // What was seen once must not go away again.
    confirmed = number;
    confirmedAt = nowMillis;
  }

  /** The value of a key that another thread writes: a thread sees its number grow. */
  void readOfOther(long number, long nowMillis) {
    latestSent = Math.max(latestSent, number);
    readBack(number, nowMillis);
  }

  /** A value of any key, by its key: it must be of that key. */
  static void isOf(String key, String value, Findings findings) {
    if (value != null && !isOf(key, value)) {
      findings.violated("mixed up", "the value of " + key + " is " + value);
    }
  }

  private static boolean isOf(String key, String value) {
    return value.length() > key.length()
        && value.charAt(key.length()) == '|'
        && value.startsWith(key);
  }

  /** What to write to a key under a number. */
  static String value(String key, long number) {
    return key + "|" + number;
  }

  /** The number in a key's value; 0 if there is none, -1 if the value is that of another key. */
  static long number(String key, String value, Findings findings) {
    if (value == null) {
      return 0;
    }
    isOf(key, value, findings);
    return isOf(key, value) ? Long.parseLong(value, key.length() + 1, value.length(), 10) : -1;
  }
}
