// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.sheaf.Observe;
import dev.sheaf.Sheaf;
import dev.sheaf.internal.observe.BatchSpans;
import dev.sheaf.internal.observe.CommandSpans;
import dev.sheaf.spring.SheafOperations;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.TracedCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.MicrometerTracing;
import io.lettuce.core.tracing.Tracer;
import io.lettuce.core.tracing.Tracing;
import io.micrometer.observation.ObservationRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What observing each command costs an application of Spring Boot, against a server in another
 * process. Each application has a JVM of its own, as in production: in one JVM, code compiled for
 * all of them fits none. The rounds are interleaved, so that each has its share of what else the
 * machine does.
 *
 * <p>The first argument says what to compare; the second is the server's URI, the third whether it
 * is a cluster, the fourth the names of the applications, by a part; all of them if it is missing.
 *
 * <ul>
 *   <li>{@code observed}: threads and a page, with and without Spring Boot's observations of each
 *       command
 *   <li>{@code settings}: threads with each setting of {@code sheaf.observe}
 *   <li>{@code agent}: threads and a page, traced by OpenTelemetry's Java agent, with which this
 *       program has to be started
 *   <li>{@code observation}: what the observation of a command costs without any client
 * </ul>
 */
final class ObservedBenchmark {

  private static final OperatingSystemMXBean JVM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final ThreadMXBean THREADS_OF_JVM =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * Of two seconds each. With callers on both processors, applications still became faster after
   * twenty seconds.
   */
  private static final int WARM_UP_ROUNDS = 25;

  /** Of a second each; most is compiled by then. */
  private static final int PAGE_WARM_UP_ROUNDS = 5;

  private static final int OBSERVATIONS = 500_000;

  /** The ways to read a page. */
  private static final List<String> WAYS = List.of("multiGet", "loop");

  private static final String ANSWER = "ANSWER ";

  private ObservedBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    String what = arguments[0];
    if (what.equals("observation")) {
      observation();
      return;
    }
    String uri = arguments[1];
    boolean cluster = Boolean.parseBoolean(arguments[2]);
    String part = arguments.length > 3 ? arguments[3] : "";
    switch (what) {
      case "observed" -> compare(started(observed(), uri, cluster, part), true);
      case "settings" -> compare(started(settings(), uri, cluster, part), false);
      case "agent" -> compare(started(traced(), uri, cluster, part), true);
      case "application" ->
          serve(uri, cluster, new Setup(Boolean.parseBoolean(arguments[3]), arguments[4]));
      default -> throw new IllegalArgumentException("There is no " + what);
    }
  }

  /**
   * An application.
   *
   * @param observed whether Spring Boot observes each command
   * @param argument of the application
   */
  private record Setup(boolean observed, String argument) {}

  private static Map<String, Setup> observed() {
    Map<String, Setup> all = new LinkedHashMap<>();
    all.put("Lettuce", new Setup(false, "--sheaf.enabled=false"));
    all.put("Lettuce, observed", new Setup(true, "--sheaf.enabled=false"));
    all.put("Sheaf", new Setup(false, "--sheaf.enabled=true"));
    all.put("Sheaf, observed", new Setup(true, "--sheaf.enabled=true"));
    return all;
  }

  private static Map<String, Setup> settings() {
    Map<String, Setup> all = new LinkedHashMap<>();
    for (String observe : List.of("commands", "sampled(100)", "batches", "off")) {
      all.put(observe, new Setup(true, "--sheaf.observe=" + observe));
    }
    return all;
  }

  /** The agent has its tracing wherever the application sets none. */
  private static Map<String, Setup> traced() {
    Map<String, Setup> all = new LinkedHashMap<>();
    all.put("Lettuce, traced", new Setup(false, "--sheaf.enabled=false"));
    all.put("Sheaf, traced", new Setup(false, "--sheaf.enabled=true"));
    all.put("Sheaf, observe=off", new Setup(false, "--sheaf.observe=off"));
    return all;
  }

  // ---- The comparison

  /** An application in a JVM of its own, with the options of this one. */
  private record ApplicationJvm(Process process, PrintWriter orders, BufferedReader answers) {

    static ApplicationJvm start(Setup setup, String uri, boolean cluster) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
      command.addAll(List.of("-classpath", System.getProperty("java.class.path")));
      command.add(ObservedBenchmark.class.getName());
      command.addAll(
          List.of(
              "application",
              uri,
              String.valueOf(cluster),
              String.valueOf(setup.observed()),
              setup.argument()));
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      return new ApplicationJvm(
          process,
          new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8),
          process.inputReader(StandardCharsets.UTF_8));
    }

    /** Has it do a round. */
    double[] ask(String order) throws IOException {
      orders.println(order);
      String line;
      while ((line = answers.readLine()) != null) {
        // Spring Boot may print something else.
        if (line.startsWith(ANSWER)) {
          return Arrays.stream(line.substring(ANSWER.length()).split(" "))
              .mapToDouble(Double::parseDouble)
              .toArray();
        }
      }
      throw new IllegalStateException("The application has ended");
    }

    void end() throws InterruptedException {
      orders.close();
      process.waitFor();
    }
  }

  private static Map<String, ApplicationJvm> started(
      Map<String, Setup> all, String uri, boolean cluster, String part) throws IOException {
    Map<String, ApplicationJvm> started = new LinkedHashMap<>();
    for (var each : all.entrySet()) {
      if (each.getKey().contains(part)) {
        started.put(each.getKey(), ApplicationJvm.start(each.getValue(), uri, cluster));
      }
    }
    return started;
  }

  /** The processor time of a read says more than its rate where other programs run. */
  private static void compare(Map<String, ApplicationJvm> applications, boolean pages)
      throws IOException, InterruptedException {
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    Map<String, List<Double>> costs = new LinkedHashMap<>();
    Map<String, Map<String, List<Double>>> micros = new LinkedHashMap<>();
    for (int round = -WARM_UP_ROUNDS; round < StarterBenchmark.ROUNDS; round++) {
      for (var application : applications.entrySet()) {
        double[] figures = application.getValue().ask("threads");
        note(rates, application.getKey(), round, figures[0]);
        note(costs, application.getKey(), round, figures[1]);
      }
    }
    print("threads", "reads a second", rates);
    print("threads", "us of processor a read", costs);
    for (int round = -PAGE_WARM_UP_ROUNDS; pages && round < StarterBenchmark.ROUNDS; round++) {
      for (var application : applications.entrySet()) {
        for (String way : WAYS) {
          note(
              micros.computeIfAbsent(way, first -> new LinkedHashMap<>()),
              application.getKey(),
              round,
              application.getValue().ask(way)[0]);
        }
      }
    }
    micros.forEach((way, of) -> print("page of " + StarterBenchmark.PAGE + ", " + way, "us", of));
    for (ApplicationJvm application : applications.values()) {
      application.end();
    }
  }

  private static void note(
      Map<String, List<Double>> figures, String name, int round, double figure) {
    if (round >= 0) {
      figures.computeIfAbsent(name, first -> new ArrayList<>()).add(figure);
    }
  }

  private static void print(String what, String unit, Map<String, List<Double>> figures) {
    figures.forEach(
        (name, of) ->
            System.out.printf(
                Locale.ROOT,
                "%s: %-32s median %,.1f %s, %s%n",
                what,
                name,
                StarterBenchmark.median(of),
                unit,
                of.stream().map(figure -> String.format(Locale.ROOT, "%,.1f", figure)).toList()));
    List<String> names = new ArrayList<>(figures.keySet());
    for (String name : names) {
      for (String other : names.subList(0, names.indexOf(name))) {
        print(what + ", " + unit, name, other, figures.get(name), figures.get(other));
      }
    }
  }

  /** How often one goes into the other, of the medians, and in each round. */
  private static void print(
      String what, String name, String other, List<Double> figures, List<Double> others) {
    double[] ratios =
        IntStream.range(0, figures.size())
            .mapToDouble(round -> figures.get(round) / others.get(round))
            .sorted()
            .toArray();
    System.out.printf(
        Locale.ROOT,
        "%s: %s / %s = %.2f (%.2f to %.2f)%n",
        what,
        name,
        other,
        StarterBenchmark.median(figures) / StarterBenchmark.median(others),
        ratios[0],
        ratios[ratios.length - 1]);
  }

  // ---- An application

  /** Does a round for each line of the standard input, until its end. */
  private static void serve(String uri, boolean cluster, Setup setup) throws Exception {
    try (ConfigurableApplicationContext context =
        StarterBenchmark.application(uri, cluster, setup.observed(), setup.argument())) {
      StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
      boolean plain = context.getBeanNamesForType(Sheaf.class).length == 0;
      List<String> keys = StarterBenchmark.fill(redis, 1_000);
      List<String> page = keys.subList(0, StarterBenchmark.PAGE);
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      String order;
      while ((order = orders.readLine()) != null) {
        switch (order) {
          case "threads" -> {
            long cpu = JVM.getProcessCpuTime();
            long begin = System.nanoTime();
            double rate = StarterBenchmark.rate(redis, keys);
            double reads = rate * (System.nanoTime() - begin) / 1e9;
            answer(rate, (JVM.getProcessCpuTime() - cpu) / 1e3 / reads);
          }
          case "multiGet" ->
              answer(StarterBenchmark.micros(() -> redis.opsForValue().multiGet(page)));
          case "loop" ->
              answer(
                  StarterBenchmark.micros(
                      () ->
                          StarterBenchmark.loop(
                              redis,
                              plain
                                  ? page
                                  : SheafOperations.<String, String>over(redis).loop(page))));
          default -> throw new IllegalArgumentException("There is no " + order);
        }
      }
    }
  }

  private static void answer(double... figures) {
    StringBuilder line = new StringBuilder(ANSWER.trim());
    for (double figure : figures) {
      line.append(' ').append(figure);
    }
    System.out.println(line);
  }

  // ---- What an observation costs without any client

  /** Of a GET that is done at once, by one thread: as Lettuce begins it, and as Sheaf does. */
  private static void observation() {
    try (ConfigurableApplicationContext context =
        StarterBenchmark.application(
            "redis://127.0.0.1:1", false, true, "--sheaf.warm-up.enabled=false")) {
      Tracing tracing = new MicrometerTracing(context.getBean(ObservationRegistry.class), "Redis");
      ClientResources resources = ClientResources.builder().tracing(tracing).build();
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", 6379);
      Tracing.Endpoint lettuces = tracing.createEndpoint(address);
      CommandSpans spans =
          Objects.requireNonNull(CommandSpans.of(() -> resources, Observe.commands()));
      Tracing.Endpoint sheafs = spans.endpoint(address);
      CommandSpans some =
          Objects.requireNonNull(CommandSpans.of(() -> resources, Observe.sampled(100)));
      Tracing.Endpoint ofSome = some.endpoint(address);
      BatchSpans batches =
          Objects.requireNonNull(BatchSpans.of(() -> resources, Observe.batches()));
      BatchSpans.Contents contents = new BatchSpans.Contents(10, 10, 1_000, 1_000);
      for (int round = -2; round < StarterBenchmark.ROUNDS; round++) {
        cost("nothing", round, get -> {});
        cost("Lettuce's", round, get -> span(tracing).remoteEndpoint(lettuces).start(get));
        cost("Sheaf's", round, get -> spans.begin(get, sheafs));
        cost("sampled(100)", round, get -> some.begin(get, ofSome));
        cost("a batch", round, get -> batches.begin(get, get, lettuces, contents));
      }
      resources.shutdown();
    }
  }

  private static Tracer.Span span(Tracing tracing) {
    return tracing
        .getTracerProvider()
        .getTracer()
        .nextSpan(tracing.initialTraceContextProvider().getTraceContext());
  }

  private static void cost(
      String name, int round, Consumer<TracedCommand<String, String, String>> begin) {
    long cpu = THREADS_OF_JVM.getCurrentThreadCpuTime();
    long bytes = THREADS_OF_JVM.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < OBSERVATIONS; i++) {
      TracedCommand<String, String, String> get =
          new TracedCommand<>(
              new AsyncCommand<>(
                  new Command<>(
                      CommandType.GET,
                      new ValueOutput<>(StringCodec.UTF8),
                      new CommandArgs<>(StringCodec.UTF8).addKey("key"))),
              null);
      begin.accept(get);
      get.complete();
    }
    if (round >= 0) {
      System.out.printf(
          Locale.ROOT,
          "observation: %-12s %,d ns of processor, %,d bytes%n",
          name,
          (THREADS_OF_JVM.getCurrentThreadCpuTime() - cpu) / OBSERVATIONS,
          (THREADS_OF_JVM.getCurrentThreadAllocatedBytes() - bytes) / OBSERVATIONS);
    }
  }
}
