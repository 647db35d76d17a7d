package dev.sheaf.benchmarks;

import dev.sheaf.benchmarks.MeasuredServer.Transport;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a request costs its server, in the program and in the system, alone and among others. */
final class WhereTimeGoes {

  static final String USER_CPU = "user CPU us";
  static final String KERNEL_CPU = "kernel CPU us";
  static final String CALLS = "system calls";

  /** Requests of a kind, so many of which are written at once. */
  private record Case(Workload workload, int together) {

    String name() {
      return workload.name().toLowerCase(java.util.Locale.ROOT) + "-" + together;
    }

    String text() {
      if (workload.keys() > 1) {
        return workload.title();
      }
      return workload.title() + (together == 1 ? ", alone" : ", " + together + " at a time");
    }
  }

  /** How a server can be reached, and which server. */
  private record Way(MeasuredServer server, Transport transport, String name) {}

  private static final int TOGETHER = 16;
  private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** A JVM needs longer, once; later cases share its compiled code. */
  private static final long JVM_WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** Enough for the server's own ticks not to show, few enough for a processor in software. */
  private static final int COUNTED_REQUESTS = 3_200;

  private static final int TRACED_REQUESTS = 16_000;

  private final CompareOptions options;
  private final int rounds;

  WhereTimeGoes(CompareOptions options, int rounds) {
    this.options = options;
    this.rounds = rounds;
  }

  /**
   * Runs, and writes {@code where-the-time-goes.md} and {@code where-the-time-goes.json}.
   *
   * @throws ComparisonException if a server cannot be started or gives wrong replies
   */
  void run(PrintStream console) {
    Environment environment = Environment.observe();
    Map<String, Answers> answers = new LinkedHashMap<>();
    Map<String, String> texts = new LinkedHashMap<>();
    try (MeasuredServer redis = MeasuredServer.redis(List.of());
        MeasuredServer embedded = MeasuredServer.embedded()) {
      List<Way> ways = new ArrayList<>();
      for (Transport transport : Transport.values()) {
        ways.add(new Way(redis, transport, "redis-server " + transport.title()));
      }
      for (Transport transport : Transport.values()) {
        ways.add(new Way(embedded, transport, "embedded " + transport.title()));
      }
      store(redis);
      store(embedded);
      List<String> names = ways.stream().map(Way::name).toList();
      cases().forEach(each -> answers.put(each.name(), new Answers(names)));
      cases().forEach(each -> texts.put(each.name(), each.text()));
      Map<String, Map<String, Double>> counts = counts(redis, console);
      warmUp(embedded);
      for (int round = 0; round < rounds; round++) {
        for (Case each : cases()) {
          for (Way way : ways) {
            Measurement found = measure(each, way, counts);
            answersOf(answers, each).add(way.name(), found);
            console.printf("round %d  %-40s %-25s %s%n", round + 1, each.text(), way.name(), found);
          }
        }
      }
    }
    Map<String, String> facts = new LinkedHashMap<>(environment.facts());
    facts.put("Instructions counted by", InstructionCounter.method());
    facts.put("Load after", Environment.loadAverage());
    facts.put("Command", "java -jar benchmarks/target/benchmarks.jar where --rounds " + rounds);
    List<ResultFile.Asked> asked =
        answers.entrySet().stream()
            .map(
                entry ->
                    new ResultFile.Asked(
                        entry.getKey(),
                        String.valueOf(texts.get(entry.getKey())),
                        RawLoad.CONNECTIONS
                            + " connections, "
                            + TimeUnit.NANOSECONDS.toMillis(MEASURED_NANOS)
                            + " ms",
                        entry.getValue().lines()))
            .toList();
    write(new ResultFile(facts, asked), console);
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Workload workload : Workload.values()) {
      cases.add(new Case(workload, 1));
      if (workload.keys() == 1) {
        cases.add(new Case(workload, TOGETHER));
      }
    }
    return cases;
  }

  private static Answers answersOf(Map<String, Answers> answers, Case each) {
    Answers found = answers.get(each.name());
    if (found == null) {
      throw new IllegalStateException("No answers are kept for " + each.name());
    }
    return found;
  }

  private static void store(MeasuredServer server) {
    try (RawLoad load = server.connect(Transport.TCP)) {
      load.store();
    }
  }

  private static void warmUp(MeasuredServer server) {
    for (Transport transport : Transport.values()) {
      try (RawLoad load = server.connect(transport)) {
        for (Case each : cases()) {
          load.runFor(JVM_WARM_UP_NANOS / 2, each.workload(), each.together());
        }
      }
    }
  }

  private static Measurement measure(Case each, Way way, Map<String, Map<String, Double>> counts) {
    try (RawLoad load = way.server().connect(way.transport())) {
      load.runFor(WARM_UP_NANOS, each.workload(), each.together());
      ProcessCpu before = ProcessCpu.of(way.server().pid());
      long requests = load.runFor(MEASURED_NANOS, each.workload(), each.together());
      ProcessCpu spent = ProcessCpu.of(way.server().pid()).minus(before);
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put(USER_CPU, spent.user() / requests);
      figures.put(KERNEL_CPU, spent.kernel() / requests);
      figures.putAll(counts.getOrDefault(each.name() + way.name(), Map.of()));
      double micros = (spent.user() + spent.kernel()) / requests;
      return new Measurement(micros, "CPU us/request", false, figures);
    }
  }

  /** What is counted and not timed, of redis-server, by the name of case and way. */
  private static Map<String, Map<String, Double>> counts(
      MeasuredServer redis, PrintStream console) {
    Map<String, Map<String, Double>> counts = new LinkedHashMap<>();
    try (InstructionCounter counter = InstructionCounter.here()) {
      if (counter != null) {
        store(counter.server());
      }
      for (Transport transport : Transport.values()) {
        for (Case each : cases()) {
          Map<String, Double> found = new LinkedHashMap<>();
          if (counter != null) {
            found.putAll(instructions(counter, each, transport));
          }
          if (Strace.isInstalled()) {
            found.put(CALLS, calls(redis, each, transport));
          }
          console.println(each.text() + ", " + transport.title() + ": " + found);
          counts.put(each.name() + "redis-server " + transport.title(), found);
        }
      }
    }
    return counts;
  }

  private static Map<String, Double> instructions(
      InstructionCounter counter, Case each, Transport transport) {
    try (RawLoad load = counter.server().connect(transport)) {
      load.run(1, each.workload(), each.together());
      return counter.count(() -> some(load, each, COUNTED_REQUESTS));
    }
  }

  private static double calls(MeasuredServer redis, Case each, Transport transport) {
    try (RawLoad load = redis.connect(transport)) {
      load.run(1, each.workload(), each.together());
      Strace strace = Strace.attach(redis.pid());
      LongSupplier requests = () -> some(load, each, TRACED_REQUESTS);
      long sent;
      Map<String, Long> calls;
      try {
        sent = requests.getAsLong();
      } finally {
        calls = strace.detach();
      }
      return (double) calls.values().stream().mapToLong(Long::longValue).sum() / sent;
    }
  }

  private static long some(RawLoad load, Case each, int requests) {
    int round = RawLoad.CONNECTIONS * each.together() * each.workload().keys();
    return load.run(Math.max(1, requests / round), each.workload(), each.together());
  }

  private void write(ResultFile found, PrintStream console) {
    Path directory = options.out();
    try {
      Files.createDirectories(directory);
      found.write(directory.resolve("where-the-time-goes.json"));
      Files.writeString(directory.resolve("where-the-time-goes.svg"), plot(found).drawn());
      Path page = directory.resolve("where-the-time-goes.md");
      Files.writeString(page, new WherePage(found).markdown());
      console.println("Written to " + page);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the results: " + e.getMessage(), e);
    }
  }

  private static LinePlot plot(ResultFile found) {
    List<String> names = List.of("get_short-1", "get_short-" + TOGETHER, "mget_short-1");
    Map<String, List<@Nullable Double>> curves = new LinkedHashMap<>();
    for (String name : names) {
      found.questions().stream()
          .filter(question -> question.name().equals(name))
          .flatMap(question -> question.answers().stream())
          .forEach(
              answer ->
                  curves
                      .computeIfAbsent(answer.rival(), rival -> new ArrayList<>())
                      .add(answer.score()));
    }
    return new LinePlot(
        "Processor time of the server for a GET of 100 bytes, microseconds",
        List.of("alone", TOGETHER + " at a time", "100 in an MGET"),
        "how GETs travel",
        true,
        curves.entrySet().stream()
            .map(curve -> new LinePlot.Curve(curve.getKey(), curve.getValue()))
            .toList(),
        Stream.of("Commit", "Date", "Processor")
            .map(fact -> fact + ": " + found.environment().getOrDefault(fact, "unknown"))
            .toList());
  }
}
