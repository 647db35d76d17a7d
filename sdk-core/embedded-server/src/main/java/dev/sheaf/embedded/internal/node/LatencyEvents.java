// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The events that took longer than latency-monitor-threshold, by kind. */
public final class LatencyEvents {
  /** The samples kept per kind, as in Redis. */
  private static final int MAX_SAMPLES = 160;

  /** The longest event of one second. {@code time} is in seconds since the epoch. */
  public record Sample(long time, long millis) {}

  /** The samples of one kind. */
  public static final class Series {
    /** The oldest first. */
    public final Deque<Sample> samples = new ArrayDeque<>();

    private long longest;

    /** The longest event so far, in milliseconds. */
    public long longest() {
      return longest;
    }
  }

  public final Map<String, Series> byEvent = new TreeMap<>();

  public void add(String event, long time, long millis) {
    Series series = byEvent.computeIfAbsent(event, kind -> new Series());
    series.longest = Math.max(series.longest, millis);
    @Nullable Sample last = series.samples.peekLast();
    if (last != null && last.time() == time) {
      if (millis <= last.millis()) {
        return;
      }
      series.samples.removeLast();
    } else if (series.samples.size() == MAX_SAMPLES) {
      series.samples.removeFirst();
    }
    series.samples.addLast(new Sample(time, millis));
  }
}
