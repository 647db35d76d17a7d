package dev.sheaf.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Counts the instructions that a server executes for a request. */
interface InstructionCounter extends AutoCloseable {

  /** Instructions of the program itself. */
  String USER = "user instructions";

  /** Instructions of the system on the program's behalf. */
  String KERNEL = "kernel instructions";

  /** The server to be loaded. */
  MeasuredServer server();

  /** The counts for each of the requests that a load sends; the load returns their number. */
  Map<String, Double> count(LongSupplier load);

  @Override
  void close();

  /** What the machine allows, or null if it allows nothing. */
  static @Nullable InstructionCounter here() {
    if (Tools.areInstalled("perf") && Perf.works()) {
      return new Perf();
    }
    if (Tools.areInstalled("valgrind", "callgrind_control")) {
      return new Callgrind();
    }
    return null;
  }

  /** In words, how the machine counts. */
  static String method() {
    if (Tools.areInstalled("perf") && Perf.works()) {
      return "perf stat, user and kernel";
    }
    return Tools.areInstalled("valgrind", "callgrind_control")
        ? "callgrind, user part only: the processor's counters cannot be read here"
        : "none: neither perf stat nor callgrind works here";
  }

  /** The processor's own counters. */
  final class Perf implements InstructionCounter {

    private static final String EVENTS = "instructions:u,instructions:k";

    private final MeasuredServer server = MeasuredServer.redis(List.of());

    static boolean works() {
      Map<String, Double> counts =
          parse(Tools.output("perf", "stat", "-x,", "-e", EVENTS, "--", "true"));
      return counts.containsKey(USER) && counts.containsKey(KERNEL);
    }

    @Override
    public MeasuredServer server() {
      return server;
    }

    @Override
    public Map<String, Double> count(LongSupplier load) {
      try {
        Process perf =
            new ProcessBuilder(
                    "perf", "stat", "-x,", "-e", EVENTS, "-p", Long.toString(server.pid()))
                .redirectErrorStream(true)
                .start();
        // Until it has attached; requests before that are too few to matter.
        Thread.sleep(200);
        long requests = load.getAsLong();
        Tools.output("kill", "-INT", Long.toString(perf.pid()));
        String text =
            new String(
                perf.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Map<String, Double> counts = parse(text);
        counts.replaceAll((name, count) -> count / requests);
        return counts;
      } catch (IOException e) {
        throw new ComparisonException("perf failed: " + e.getMessage(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ComparisonException("Interrupted while instructions were counted", e);
      }
    }

    /** Reads the lines count,unit,event,… */
    static Map<String, Double> parse(String lines) {
      Map<String, Double> counts = new LinkedHashMap<>();
      for (String line : lines.split("\n")) {
        String[] fields = line.split(",");
        if (fields.length > 2 && fields[0].matches("[0-9]+")) {
          counts.put(fields[2].endsWith(":k") ? KERNEL : USER, Double.valueOf(fields[0]));
        }
      }
      return counts;
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A processor in software, which sees the program's instructions and not the system's. */
  final class Callgrind implements InstructionCounter {

    private static final Pattern TOTALS = Pattern.compile("(?m)^(?:totals|summary): (\\d+)");

    private final Path directory;
    private final MeasuredServer server;
    private int dumps;

    Callgrind() {
      try {
        directory = Files.createTempDirectory("sheaf-benchmark-callgrind");
      } catch (IOException e) {
        throw new ComparisonException("Cannot make a directory: " + e.getMessage(), e);
      }
      server =
          MeasuredServer.redis(
              List.of(
                  "valgrind",
                  "--tool=callgrind",
                  "--callgrind-out-file=" + directory.resolve("out")));
    }

    @Override
    public MeasuredServer server() {
      return server;
    }

    @Override
    public Map<String, Double> count(LongSupplier load) {
      control("-z");
      long requests = load.getAsLong();
      dumps++;
      control("-d");
      Map<String, Double> counts = new LinkedHashMap<>();
      counts.put(USER, (double) total() / requests);
      return counts;
    }

    private void control(String action) {
      String said = Tools.output("callgrind_control", action, Long.toString(server.pid()));
      if (!said.contains("OK")) {
        throw new ComparisonException("callgrind_control " + action + " failed: " + said);
      }
    }

    private long total() {
      Path file = directory.resolve("out." + dumps);
      try {
        String text = Files.readString(file);
        Files.delete(file);
        return total(text);
      } catch (IOException e) {
        throw new ComparisonException("callgrind left no counts: " + e.getMessage(), e);
      }
    }

    /** The total in a file of callgrind. */
    static long total(String text) {
      Matcher matcher = TOTALS.matcher(text);
      if (!matcher.find()) {
        throw new ComparisonException("callgrind left a file without a total");
      }
      return Long.parseLong(matcher.group(1));
    }

    @Override
    public void close() {
      server.close();
      try (java.util.stream.Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
        Files.delete(directory);
      } catch (IOException e) {
        throw new ComparisonException("Cannot remove " + directory + ": " + e.getMessage(), e);
      }
    }
  }
}
