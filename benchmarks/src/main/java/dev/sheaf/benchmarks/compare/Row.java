// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A row of the comparison.
 *
 * @param group the group that selects it
 * @param name its name
 * @param title its description
 * @param order the work of the clients, without server and duration
 * @param roundTripMicros the added round-trip time to the server; 0 for none
 * @param neighbours how many computing processes run beside it
 */
record Row(
    String group, String name, String title, Order order, int roundTripMicros, int neighbours) {

  /**
   * In the order of measurement: group, name, title, work, and what differs from one thread at one
   * local server. Neighbours are per processor; # is their number.
   */
  private static final String ALL =
      """
      gets    | get-1        | 1 thread                                   | GET       |
      gets    | get-2        | 2 threads                                  | GET       | threads=2
      gets    | get-4        | 4 threads                                  | GET       | threads=4
      gets    | get-8        | 8 threads                                  | GET       | threads=8
      gets    | get-16       | 16 threads                                 | GET       | threads=16
      gets    | get-64       | 64 threads                                 | GET       | threads=64
      gets    | get-256      | 256 threads                                | GET       | threads=256
      writes  | set-1        | 1 thread that writes                       | SET       |
      writes  | set-2        | 2 threads that write                       | SET       | threads=2
      writes  | set-4        | 4 threads that write                       | SET       | threads=4
      writes  | set-8        | 8 threads that write                       | SET       | threads=8
      writes  | set-16       | 16 threads that write                      | SET       | threads=16
      writes  | set-64       | 64 threads that write                      | SET       | threads=64
      virtual | virtual-1    | 1 virtual thread                           | GET       | virtual=true
      virtual | virtual-4    | 4 virtual threads                          | GET       | threads=4 virtual=true
      virtual | virtual-16   | 16 virtual threads                         | GET       | threads=16 virtual=true
      virtual | virtual-64   | 64 virtual threads                         | GET       | threads=64 virtual=true
      virtual | virtual-1000 | 1,000 virtual threads                      | GET       | threads=1000 virtual=true
      pages   | getall-100   | 100 keys in one call                       | GET_ALL   |
      pages   | futures-100  | 100 futures, or a pipeline                 | GET_EACH  |
      cluster | cluster-getall-100  | cluster, 100 keys in one call       | GET_ALL   | kind=CLUSTER
      cluster | cluster-1    | cluster, 1 thread                          | GET       | kind=CLUSTER
      cluster | cluster-2    | cluster, 2 threads                         | GET       | kind=CLUSTER threads=2
      cluster | cluster-4    | cluster, 4 threads                         | GET       | kind=CLUSTER threads=4
      cluster | cluster-8    | cluster, 8 threads                         | GET       | kind=CLUSTER threads=8
      cluster | cluster-64   | cluster, 64 threads                        | GET       | kind=CLUSTER threads=64
      distant | distant-64   | 1.2 ms away, 64 threads                    | GET       | micros=1200 threads=64
      distant | distant-futures-100 | 1.2 ms away, 100 futures            | GET_EACH  | micros=1200
      large   | large-8      | 1 MB values, 8 threads                     | GET_LARGE | threads=8
      open-rate | open-3k    | 3,000 reads a second                       | OPEN      | threads=64 rate=3000
      open-rate | open-10k   | 10,000 reads a second                      | OPEN      | threads=64 rate=10000
      open-rate | open-30k   | 30,000 reads a second                      | OPEN      | threads=64 rate=30000
      open    | open-25      | 25 % of its own capacity                   | OPEN      | threads=64 percent=25
      open    | open-50      | 50 % of its own capacity                   | OPEN      | threads=64 percent=50
      open    | open-75      | 75 % of its own capacity                   | OPEN      | threads=64 percent=75
      open    | open-90      | 90 % of its own capacity                   | OPEN      | threads=64 percent=90
      busy-#  | busy-#-1     | 1 thread beside # computing processes      | GET       | neighbours=1
      busy-#  | busy-#-8     | 8 threads beside # computing processes     | GET       | neighbours=1 threads=8
      busy-#  | busy-#-64    | 64 threads beside # computing processes    | GET       | neighbours=1 threads=64
      busy-#  | busy-#-1     | 1 thread beside # computing processes      | GET       | neighbours=4
      busy-#  | busy-#-8     | 8 threads beside # computing processes     | GET       | neighbours=4 threads=8
      busy-#  | busy-#-64    | 64 threads beside # computing processes    | GET       | neighbours=4 threads=64
      loops   | loop-100     | loop of 100                                | LOOP      |
      loops   | loop-100-1ms | 1 ms away, loop of 100                     | LOOP      | micros=1000
      loops   | getall-100-1ms      | 1 ms away, 100 keys in one call     | GET_ALL   | micros=1000
      loops   | loop-of-two-100-1ms | 1 ms away, loop of 100, two dependent GETs in the body | LOOP_OF_TWO | micros=1000
      pings   | ping-64      | 64 threads that ping                       | PING      | threads=64
      """;

  private static final String USUAL =
      "kind=STANDALONE uri=- threads=1 virtual=false percent=0 rate=0 warmUp=0 measured=0";

  /** From this many threads on, a row needs a longer warm-up: they compete with the compiler. */
  private static final int CROWD = 64;

  /** Returns all rows, in the order of measurement. */
  static List<Row> all(int processors) {
    return ALL.lines().map(line -> read(line, processors)).toList();
  }

  private static Row read(String line, int processors) {
    String[] cells = line.split("\\|", -1);
    Map<String, String> words = new HashMap<>(Order.words(USUAL));
    words.put("work", cells[3].strip());
    words.putAll(Order.words(cells[4]));
    int neighbours = processors * number(words, "neighbours");
    List<String> names =
        Arrays.stream(cells).map(cell -> cell.strip().replace("#", "" + neighbours)).toList();
    return new Row(
        names.get(0),
        names.get(1),
        names.get(2),
        Order.of(words),
        number(words, "micros"),
        neighbours);
  }

  private static int number(Map<String, String> words, String name) {
    return Integer.parseInt(words.getOrDefault(name, "0"));
  }

  /**
   * Returns the rows that words select: groups ("busy" means all groups with that prefix) or names;
   * all rows without words.
   *
   * @throws IllegalArgumentException if a word selects nothing; the message lists the choices
   */
  static List<Row> selected(List<Row> rows, List<String> words) {
    Set<String> groups = new TreeSet<>();
    rows.forEach(row -> groups.add(row.group));
    for (String word : words) {
      if (rows.stream().noneMatch(row -> row.isMeantBy(word))) {
        throw new IllegalArgumentException(
            "--rows must name groups of " + groups + " or rows, but had " + word);
      }
    }
    return rows.stream()
        .filter(row -> words.isEmpty() || words.stream().anyMatch(row::isMeantBy))
        .toList();
  }

  private boolean isMeantBy(String word) {
    return word.equals(group) || word.equals(name) || group.startsWith(word + "-");
  }

  boolean isForCrowd() {
    return order.threads() >= CROWD;
  }
}
