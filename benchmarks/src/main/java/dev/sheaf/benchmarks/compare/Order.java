// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.ServerKind;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The work for a client's process, as a line of {@code name=value} pairs. The Go program reads the
 * same lines.
 *
 * @param work the operation of the threads
 * @param kind the kind of server
 * @param uri the server
 * @param threads the number of threads
 * @param virtual whether they are virtual threads
 * @param percent the share of the client's capacity for an open load
 * @param rate the operations a second of an open load; 0 for a share of the capacity
 * @param warmUpMillis the warm-up time
 * @param measuredMillis the measured time; 0 for a warm-up only
 */
record Order(
    Work work,
    ServerKind kind,
    String uri,
    int threads,
    boolean virtual,
    int percent,
    int rate,
    long warmUpMillis,
    long measuredMillis) {

  /** Returns a copy for a server, with durations. */
  Order at(String where, long warmUp, long measured) {
    return new Order(work, kind, where, threads, virtual, percent, rate, warmUp, measured);
  }

  /** Returns a copy with other work. */
  Order as(Work other) {
    return new Order(
        other, kind, uri, threads, virtual, percent, rate, warmUpMillis, measuredMillis);
  }

  String line() {
    return "work=%s kind=%s uri=%s threads=%d virtual=%b percent=%d rate=%d warmUp=%d measured=%d"
        .formatted(work, kind, uri, threads, virtual, percent, rate, warmUpMillis, measuredMillis);
  }

  static Order parse(String line) {
    return of(words(line));
  }

  /** Parses the pairs of a line. */
  static Map<String, String> words(String line) {
    return Arrays.stream(line.strip().split(" "))
        .filter(word -> !word.isEmpty())
        .map(word -> word.split("=", 2))
        .collect(Collectors.toMap(word -> word[0], word -> word[1]));
  }

  static Order of(Map<String, String> words) {
    return new Order(
        Work.valueOf(word(words, "work")),
        ServerKind.valueOf(word(words, "kind")),
        word(words, "uri"),
        Integer.parseInt(word(words, "threads")),
        Boolean.parseBoolean(word(words, "virtual")),
        Integer.parseInt(word(words, "percent")),
        Integer.parseInt(word(words, "rate")),
        Long.parseLong(word(words, "warmUp")),
        Long.parseLong(word(words, "measured")));
  }

  private static String word(Map<String, String> words, String name) {
    String value = words.get(name);
    if (value == null) {
      throw new IllegalArgumentException("An order needs a " + name + ", but had " + words);
    }
    return value;
  }
}
