// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.testkit.LostWrites.Losses;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What one thread may find in a key that it alone writes, told from its own calls and nothing else:
 * it does not know which client sends them.
 *
 * <p>A server that is stopped may lose what it acknowledged, because replication is asynchronous.
 * The checker is told of that, and calls such a loss the server's. What is missing otherwise is an
 * error, unless the servers' logs tell at the end of a round that a primary lost it.
 */
public final class ChaosChecker {

  /**
   * When a number was acknowledged, by {@link ChaosRun#now}.
   *
   * @param from when the last call was sent that wrote or read it
   * @param until when the first one was answered
   */
  private record Call(long number, long from, long until) {}

  /** What is missing: the calls that had written or read it. */
  private record Loss(String kind, String how, String key, List<Call> calls) {}

  /** What all threads found together. Thread-safe. */
  public static final class Findings {

    private static final int MAX_EXAMPLES = 20;

    final LongAdder calls = new LongAdder();
    final LongAdder operations = new LongAdder();
    final AtomicLong unknown = new AtomicLong();
    final AtomicLong lostByServer = new AtomicLong();
    final AtomicLong lostWhenDemoted = new AtomicLong();
    final AtomicLong pausedNanos = new AtomicLong();
    final AtomicLong heapBytes = new AtomicLong();
    final AtomicInteger violations = new AtomicInteger();
    final ConcurrentLinkedQueue<String> examples = new ConcurrentLinkedQueue<>();
    final Map<String, Integer> kinds = new ConcurrentHashMap<>();
    final Map<String, Integer> failures = new ConcurrentHashMap<>();
    private volatile long serverLossUntil = Long.MIN_VALUE;

    private final ConcurrentLinkedQueue<Loss> losses = new ConcurrentLinkedQueue<>();

    /** From now on, for a time, servers may lose what they acknowledged. */
    void serversMayLose(long untilMillis) {
      serverLossUntil = untilMillis;
    }

    /** Whether servers may have lost what was acknowledged then, by what was done to them. */
    boolean mayServersHaveLost(long sinceMillis) {
      return sinceMillis <= serverLossUntil;
    }

    /** Something is missing that was acknowledged in these calls, or read. */
    private void missing(String kind, String how, String key, List<Call> calls) {
      violations.incrementAndGet();
      kinds.merge(kind, 1, Integer::sum);
      losses.add(new Loss(kind, how, key, calls));
    }

    /** Of what is missing by now, excuses that which primaries lost when they were demoted. */
    void excuse(Losses servers) {
      for (Loss loss = losses.poll(); loss != null; loss = losses.poll()) {
        String key = loss.key;
        if (!loss.calls.isEmpty()
            && loss.calls.stream()
                .allMatch(call -> servers.mayHaveLost(key, call.from, call.until))) {
          violations.decrementAndGet();
          kinds.merge(loss.kind, -1, Integer::sum);
          lostWhenDemoted.incrementAndGet();
        } else {
          example(loss.kind, loss.how + ", " + key + ", " + loss.calls);
        }
      }
    }

    void failed(Throwable failure) {
      failures.merge(failure.getClass().getSimpleName(), 1, Integer::sum);
    }

    void violated(String kind, String how) {
      violations.incrementAndGet();
      kinds.merge(kind, 1, Integer::sum);
      example(kind, how);
    }

    private void example(String kind, String how) {
      if (examples.size() < MAX_EXAMPLES) {
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

    /** Losses of primaries that were demoted, by what the servers' logs say. */
    public long lostWhenDemoted() {
      return lostWhenDemoted.get();
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

    private List<String> found() {
      List<String> found = new ArrayList<>(examples);
      losses.forEach(loss -> found.add(loss.kind + ": " + loss.how));
      return found.subList(0, Math.min(found.size(), MAX_EXAMPLES));
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
          + " lost by a stopped server, "
          + lostWhenDemoted
          + " by a demoted one; failures "
          + new TreeMap<>(failures)
          + (violations.get() == 0 ? "" : "; first findings " + found());
    }
  }

  /** Of so many calls it is known when they were; older ones are not looked at. */
  private static final int CALLS_KEPT = 16;

  private final Findings findings;
  private final String key;

  /** Those whose number must not go away any more, the last one last. */
  private final Deque<Call> confirmedBy = new ArrayDeque<>();

  // Of a counter.
  private long counted;
  private long countUnknown;

  // Of a value.
  private long confirmed;
  private long latestSent;

  // Of both: when the last of them was confirmed.
  private long confirmedAt;

  ChaosChecker(Findings findings, String key, long nowMillis) {
    this.findings = findings;
    this.key = key;
    this.confirmedAt = nowMillis;
  }

  private void confirm(long number, long fromMillis, long nowMillis) {
    Call last = confirmedBy.peekLast();
    if (last != null && last.number == number) {
      // Seen again: it was written before, and was there still.
      confirmedBy.removeLast();
      confirmedBy.add(new Call(number, fromMillis, last.until));
    } else {
      confirmedBy.add(new Call(number, fromMillis, nowMillis));
    }
    if (confirmedBy.size() > CALLS_KEPT) {
      confirmedBy.removeFirst();
    }
    confirmedAt = nowMillis;
  }

  /** What was confirmed from this number on is not there. */
  private void missing(String kind, String how, long number) {
    List<Call> calls = confirmedBy.stream().filter(call -> call.number >= number).toList();
    confirmedBy.removeAll(calls);
    if (findings.mayServersHaveLost(confirmedAt)) {
      findings.lostByServer.incrementAndGet();
    } else {
      findings.missing(kind, how, key, calls);
    }
  }

  /** INCR gave a value. */
  void incremented(long value, long fromMillis, long nowMillis) {
    long step = value - counted;
    if (step > 1 + countUnknown) {
      findings.violated(
          "doubled",
          "the counter went from " + counted + " to " + value + ", " + countUnknown + " unknown");
    } else if (step < 1) {
      missing("lost", "the counter went from " + counted + " to " + value, value);
    }
    countUnknown = Math.max(0, countUnknown - Math.max(0, step - 1));
    counted = value;
    confirm(value, fromMillis, nowMillis);
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
      missing("lost", "in the end " + value + " after " + counted, value + 1);
    }
  }

  /** The number of the next value to write. */
  long nextValue() {
    return ++latestSent;
  }

  /** The write of the latest number was acknowledged. */
  void written(long fromMillis, long nowMillis) {
    confirmed = latestSent;
    confirm(confirmed, fromMillis, nowMillis);
  }

  /** The thread's own value as it was read back; 0 if there is none. */
  void readBack(long number, long fromMillis, long nowMillis) {
    if (number > latestSent) {
      findings.violated("mixed up", "read " + number + ", which was never written");
    } else if (number < confirmed) {
      missing("stale", "read " + number + " after " + confirmed + " was acknowledged", number + 1);
    }
    // What was seen once must not go away again.
    confirmed = number;
    confirm(number, fromMillis, nowMillis);
  }

  /** The value of a key that another thread writes: a thread sees its number grow. */
  void readOfOther(long number, long fromMillis, long nowMillis) {
    latestSent = Math.max(latestSent, number);
    readBack(number, fromMillis, nowMillis);
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
