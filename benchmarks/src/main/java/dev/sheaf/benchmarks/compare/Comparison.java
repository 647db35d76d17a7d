// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.ComparisonException;
import dev.sheaf.benchmarks.servers.Neighbours;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import dev.sheaf.embedded.proxy.LatencyProxy;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * Measures rows with all clients. Each round starts one process per client, warms it up, and then
 * measures the rows in turn. All clients measure a row before the next one begins, with another
 * client first each time, so that temporary disturbances affect all of them.
 */
final class Comparison {

  /** Further warm-up before each row. */
  static final long WARM_UP_MILLIS = 1_000;

  static final long MEASURED_MILLIS = 3_000;

  /** For connecting and for reading the costs. */
  private static final long BETWEEN_MILLIS = 500;

  private static final double MILLIS_PER_MINUTE = 60_000;
  private static final int NANOS_PER_MICRO = 1_000;

  /**
   * What to measure, and where to write the results.
   *
   * @param rows the rows, at least one
   * @param clients the clients, at least one
   * @param rounds how many rounds
   * @param firstWarmUpMillis how long each client does each kind of work before its first row
   * @param timeScale 1, or less for a test of the comparison itself, whose figures are meaningless
   * @param programs starts the processes of clients
   * @param out the directory for the result and the clients' logs
   * @param command the command that repeats the run
   */
  record Plan(
      List<Row> rows,
      List<Client> clients,
      int rounds,
      long firstWarmUpMillis,
      double timeScale,
      Programs programs,
      Path out,
      String command) {

    long millis(long wanted) {
      return Math.max(1, Math.round(wanted * timeScale));
    }

    private Set<ServerKind> kinds() {
      Set<ServerKind> kinds = new LinkedHashSet<>();
      rows.forEach(row -> kinds.add(row.order().kind()));
      return kinds;
    }

    /** Returns the estimated duration. */
    long millisInAll() {
      long each = millis(WARM_UP_MILLIS) + millis(MEASURED_MILLIS) + BETWEEN_MILLIS;
      long warmUps = millis(firstWarmUpMillis) * kindsOfWork().size();
      return (long) rounds * clients.size() * (warmUps + each * rows.size());
    }

    /** Returns the rows of each kind of work on each kind of server. */
    private Collection<List<Row>> kindsOfWork() {
      Map<String, List<Row>> kinds = new LinkedHashMap<>();
      for (Row row : rows) {
        Order order = row.order();
        Work work = warmUp(order).work();
        String kind = order.kind() + " " + work + " " + callers(row);
        kinds.computeIfAbsent(kind, first -> new ArrayList<>()).add(row);
      }
      return kinds.values();
    }

    private static String callers(Row row) {
      Order order = row.order();
      if (order.virtual()) {
        return "virtual";
      }
      return row.isForCrowd() ? "many" : order.threads() > 1 ? "several" : "one";
    }
  }

  private final Plan plan;
  private final PrintStream console;
  private final Map<ServerKind, Servers> servers = new EnumMap<>(ServerKind.class);
  private final Map<Client, ClientProcess> processes = new EnumMap<>(Client.class);
  private final Map<String, ResultFile.Found> found = new LinkedHashMap<>();
  private final Map<String, String> leftOut = new TreeMap<>();

  Comparison(Plan plan, PrintStream console) {
    this.plan = plan;
    this.console = console;
  }

  /**
   * Runs the comparison, and writes the result after each row.
   *
   * @throws ComparisonException if servers cannot be started or the result cannot be written
   */
  ResultFile run(Path file) {
    Map<String, String> facts = Environment.observe(plan.programs());
    facts.put("Command", plan.command());
    facts.put("Rounds", Integer.toString(plan.rounds()));
    if (plan.timeScale() < 1) {
      facts.put("Trial", "times are " + plan.timeScale() + " of the real ones; no figures");
    }
    console.printf(
        "%d rows, %d clients, %d rounds: about %.0f minutes%n",
        plan.rows().size(),
        plan.clients().size(),
        plan.rounds(),
        plan.millisInAll() / MILLIS_PER_MINUTE);
    plan.rows().forEach(row -> found.put(row.name(), ResultFile.Found.of(row)));
    try {
      plan.kinds().forEach(kind -> servers.put(kind, Servers.open(kind)));
      for (int round = 0; round < plan.rounds(); round++) {
        startProcesses();
        for (int i = 0; i < plan.rows().size(); i++) {
          measure(plan.rows().get(i), round, round + i);
          result(facts).write(file);
        }
        closeProcesses();
      }
    } finally {
      closeProcesses();
      servers.values().forEach(Servers::close);
    }
    facts.put("Load after", Environment.loadAverage());
    ResultFile result = result(facts);
    result.write(file);
    return result;
  }

  private ResultFile result(Map<String, String> facts) {
    Map<String, String> all = new LinkedHashMap<>(facts);
    leftOut.forEach((what, why) -> all.put("Left out: " + what, why));
    return new ResultFile(all, List.copyOf(found.values()));
  }

  private void startProcesses() {
    for (Client client : plan.clients()) {
      if (!leftOut.containsKey(client.title())) {
        start(client);
      }
    }
  }

  private void start(Client client) {
    try {
      Path log = Files.createDirectories(plan.out().resolve("logs")).resolve(client + ".log");
      ClientProcess process = ClientProcess.start(plan.programs().command(client), log);
      processes.put(client, process);
      for (Order order : warmUps()) {
        process.answer(order);
      }
    } catch (ComparisonException | IOException e) {
      leaveOut(client.title(), String.valueOf(e.getMessage()));
      end(client);
    }
  }

  private void leaveOut(String what, String why) {
    leftOut.put(what, why);
    console.println("Left out from here on: " + what + ": " + why);
  }

  /**
   * Returns two orders for each kind of work on each kind of server, because code that another kind
   * of work has compiled is not warm. One, several, and many threads count as kinds: one thread
   * alone never waits for another, and many compete with the compiler. The first half of the time
   * is that of the first row, the second half that of the last one. Each half connects anew, as
   * each row does: when that happens for the first time, the JVM discards code.
   */
  List<Order> warmUps() {
    long half = plan.millis(plan.firstWarmUpMillis() / 2);
    List<Order> orders = new ArrayList<>();
    for (List<Row> rows : plan.kindsOfWork()) {
      orders.add(warmUp(rows.get(0), half));
      orders.add(warmUp(rows.get(rows.size() - 1), half));
    }
    return orders;
  }

  private Order warmUp(Row row, long millis) {
    return warmUp(row.order()).at(uri(row.order().kind()), millis, 0);
  }

  /** The work itself; for a load in proportion to the capacity, that which measures it. */
  private static Order warmUp(Order order) {
    return order.work() == Work.OPEN && order.rate() == 0 ? order.as(Work.GET) : order;
  }

  private String uri(ServerKind kind) {
    Servers open = servers.get(kind);
    return open == null ? "" : open.uri();
  }

  private void measure(Row row, int round, int turn) {
    String uri = uri(row.order().kind());
    Neighbours beside = new Neighbours(row.neighbours());
    try (beside;
        LatencyProxy distance = distance(row, uri)) {
      String at = distance == null ? uri : "redis://127.0.0.1:" + distance.port();
      List<Client> clients = plan.clients();
      for (int i = 0; i < clients.size(); i++) {
        measure(row, round, clients.get((i + turn) % clients.size()), at);
      }
    }
  }

  /** Returns a proxy that adds latency; null for none. */
  private static @Nullable LatencyProxy distance(Row row, String uri) {
    if (row.roundTripMicros() == 0) {
      return null;
    }
    HostAndPort server = Servers.address(uri);
    return LatencyProxy.builder()
        .target(server.getHost(), server.getPort())
        .oneWayDelay(Duration.ofNanos((long) row.roundTripMicros() * NANOS_PER_MICRO / 2))
        .start();
  }

  private void measure(Row row, int round, Client client, String uri) {
    ClientProcess process = processes.get(client);
    String what = client.title() + ", " + row.name();
    if (process == null || leftOut.containsKey(what)) {
      return;
    }
    try {
      Order order = row.order().at(uri, plan.millis(WARM_UP_MILLIS), plan.millis(MEASURED_MILLIS));
      Map<String, Double> figures = process.answer(order);
      Objects.requireNonNull(found.get(row.name())).add(client, figures);
      console.printf(
          "round %d  %-20s %-16s %12s %s%n",
          round + 1,
          row.name(),
          client.title(),
          Environment.rounded(Objects.requireNonNull(figures.get("score"))),
          row.order().work().unit());
    } catch (ComparisonException e) {
      leaveOut(what, e.getMessage() + "; see logs/" + client + ".log");
      // The failed work may still be running there.
      end(client);
      start(client);
    }
  }

  private void end(Client client) {
    ClientProcess process = processes.remove(client);
    if (process != null) {
      process.close();
    }
  }

  private void closeProcesses() {
    plan.clients().forEach(this::end);
  }
}
