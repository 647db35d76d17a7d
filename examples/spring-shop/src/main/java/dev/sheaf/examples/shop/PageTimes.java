// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/** How long the last pages took, with Sheaf and without it. Thread-safe. */
@Component
class PageTimes {

  /** How many pages the median is of, for each of the two: the last 20. */
  private static final int KEPT = 20;

  private final Deque<Long> with = new ArrayDeque<>();
  private final Deque<Long> without = new ArrayDeque<>();

  /** Only pages that Redis had wholly can be compared. */
  synchronized void took(boolean withSheaf, long micros) {
    Deque<Long> times = withSheaf ? with : without;
    if (times.size() == KEPT) {
      times.removeFirst();
    }
    times.addLast(micros);
  }

  /** The median in microseconds, if there is a page. */
  synchronized OptionalLong median(boolean withSheaf) {
    Deque<Long> times = withSheaf ? with : without;
    return times.stream().mapToLong(Long::longValue).sorted().skip(times.size() / 2).findFirst();
  }
}
