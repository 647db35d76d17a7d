package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * One row of the comparison, for every client.
 *
 * @param group the word that selects it
 * @param name its name
 * @param title what it is, in words
 * @param work what the threads do
 * @param server what they are connected to
 * @param roundTripMicros how far away that is, there and back; 0 for the loopback interface
 * @param threads how many threads work at once
 * @param virtual whether they are virtual threads
 * @param neighbours how many processes compute beside it
 * @param percent the part of the client's capacity that an open load asks for
 */
record Row(
    String group,
    String name,
    String title,
    Work work,
    ServerKind server,
    int roundTripMicros,
    int threads,
    boolean virtual,
    int neighbours,
    int percent) {

  private static final int NEAR_MICROS = 1_000;
  private static final int FAR_MICROS = 1_200;
  private static final int OPEN_THREADS = 64;

  /**
   * From so many threads on, a row's code needs longer to warm up: they compete with the compiler.
   */
  private static final int CROWD = 64;

  /** All rows, in the order in which they are measured. */
  static List<Row> all(int processors) {
    List<Row> rows = new ArrayList<>();
    for (int threads : new int[] {1, 2, 4, 8, 16, 64, 256}) {
      rows.add(gets("gets", "get-" + threads, threads(threads), threads));
    }
    for (int threads : new int[] {64, 1_000}) {
      rows.add(
          gets("virtual", "virtual-" + threads, count(threads) + " virtual threads", threads)
              .onVirtualThreads());
    }
    rows.add(page("pages", "getall-100", "100 keys in one call", Work.GET_ALL));
    rows.add(page("pages", "futures-100", "100 futures, or a pipeline", Work.GET_EACH));
    rows.add(
        page("cluster", "cluster-getall-100", "cluster, 100 keys in one call", Work.GET_ALL)
            .on(ServerKind.CLUSTER));
    rows.add(gets("cluster", "cluster-64", "cluster, 64 threads", 64).on(ServerKind.CLUSTER));
    rows.add(gets("distant", "distant-64", "1.2 ms away, 64 threads", 64).at(FAR_MICROS));
    rows.add(
        page("distant", "distant-futures-100", "1.2 ms away, 100 futures", Work.GET_EACH)
            .at(FAR_MICROS));
    rows.add(row("large", "large-8", "1 MB values, 8 threads", Work.GET_LARGE, 8));
    for (int percent : new int[] {25, 50, 75, 90}) {
      rows.add(
          row(
                  "open",
                  "open-" + percent,
                  percent + " % of its own capacity",
                  Work.OPEN,
                  OPEN_THREADS)
              .asking(percent));
    }
    for (int neighbours : new int[] {processors, 4 * processors}) {
      String group = "busy-" + neighbours;
      for (int threads : new int[] {1, 8, 64}) {
        String title = threads(threads) + " beside " + neighbours + " computing processes";
        rows.add(gets(group, group + "-" + threads, title, threads).beside(neighbours));
      }
    }
    rows.add(page("loops", "loop-100", "loop of 100", Work.LOOP));
    rows.add(page("loops", "loop-100-1ms", "1 ms away, loop of 100", Work.LOOP).at(NEAR_MICROS));
    rows.add(
        page("loops", "getall-100-1ms", "1 ms away, 100 keys in one call", Work.GET_ALL)
            .at(NEAR_MICROS));
    rows.add(
        page(
                "loops",
                "loop-of-two-100-1ms",
                "1 ms away, loop of 100, two dependent GETs in the body",
                Work.LOOP_OF_TWO)
            .at(NEAR_MICROS));
    rows.add(row("pings", "ping-64", "64 threads that ping", Work.PING, 64));
    return List.copyOf(rows);
  }

  /**
   * The rows that words select: groups ("busy" means all groups that begin so) or names; all rows
   * if there are no words.
   *
   * @throws IllegalArgumentException if a word selects nothing; the message says what there is
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
    return threads >= CROWD;
  }

  private static Row gets(String group, String name, String title, int threads) {
    return row(group, name, title, Work.GET, threads);
  }

  private static Row page(String group, String name, String title, Work work) {
    return row(group, name, title, work, 1);
  }

  private static Row row(String group, String name, String title, Work work, int threads) {
    return new Row(group, name, title, work, ServerKind.STANDALONE, 0, threads, false, 0, 0);
  }

  private Row on(ServerKind kind) {
    return new Row(
        group, name, title, work, kind, roundTripMicros, threads, virtual, neighbours, percent);
  }

  private Row at(int micros) {
    return new Row(group, name, title, work, server, micros, threads, virtual, neighbours, percent);
  }

  private Row onVirtualThreads() {
    return new Row(
        group, name, title, work, server, roundTripMicros, threads, true, neighbours, percent);
  }

  private Row beside(int processes) {
    return new Row(
        group, name, title, work, server, roundTripMicros, threads, virtual, processes, percent);
  }

  private Row asking(int share) {
    return new Row(
        group, name, title, work, server, roundTripMicros, threads, virtual, neighbours, share);
  }

  private static String threads(int threads) {
    return threads == 1 ? "1 thread" : threads + " threads";
  }

  private static String count(int number) {
    return number < 1_000 ? "" + number : number / 1_000 + ",000";
  }
}
