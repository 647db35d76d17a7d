package dev.sheaf.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One question, put to several rivals.
 *
 * @param name what it is called in {@code --only} and in results
 * @param text the question in words
 * @param benchmark the method that measures, as JMH names it
 * @param server what the clients are connected to
 * @param roundTripMicros how far away that is, beyond the loopback interface
 * @param threads JMH's threads
 * @param parameters parameters that all rivals share
 * @param contenders who answers; the first is the one the ratios refer to
 * @param virtual whether only a JVM with virtual threads can answer it
 * @param quick whether it belongs to the quick comparison
 */
record Question(
    String name,
    String text,
    String benchmark,
    ServerKind server,
    int roundTripMicros,
    int threads,
    Map<String, String> parameters,
    List<Contender> contenders,
    boolean virtual,
    boolean quick) {

  private static final int[] THREADS = {1, 2, 8, 64, 256, 512};
  private static final Set<Integer> QUICK_THREADS = Set.of(1, 64);
  private static final int[] VIRTUAL_THREADS = {64, 1000};
  private static final int[] PAGES = {30, 100, 1000};
  private static final int NEIGHBOURS_MICROS = 1_200;
  private static final int[] ROUND_TRIPS_MICROS = {200, 1_000, NEIGHBOURS_MICROS, 5_000, 100_000};

  /** From here on a loop of a hundred round trips takes longer than a run measures. */
  private static final int TOO_FAR_FOR_LOOPS_MICROS = 100_000;

  /** Reads a second: as many as the threads get, half of what plain Lettuce reaches, and less. */
  private static final int[] RATES = {0, 10_000, 40_000};

  private static final int QUICK_RATE = 40_000;
  private static final int SIZE_THREADS = 8;
  private static final int STORM_THREADS = 64;
  private static final int DEPENDENT_MICROS = 1_000;
  private static final double MICROS_PER_MILLI = 1e3;

  /** Ways to read many keys that do not depend on one another. */
  private static final Set<Way> READS = EnumSet.complementOf(EnumSet.of(Way.SIDE_BY_SIDE));

  private static final Set<Way> READS_IN_TURNS = EnumSet.complementOf(EnumSet.of(Way.READ_AHEAD));

  private static final int CROWD = 64;
  private static final String VIRTUAL_THREADS_PARAMETER = "virtualThreads";

  /** Who is asked about details: one of each kind. */
  static final Set<Client> DETAILED =
      EnumSet.of(Client.LETTUCE, Client.JEDIS, Client.GLIDE, Client.SHEAF);

  /** All questions, those for virtual threads last. */
  static List<Question> all() {
    List<Question> questions = new ArrayList<>();
    for (int threads : THREADS) {
      questions.add(blocking(ServerKind.STANDALONE, threads, QUICK_THREADS.contains(threads)));
    }
    for (int threads : THREADS) {
      questions.add(blocking(ServerKind.CLUSTER, threads, threads == 64));
    }
    for (int keys : PAGES) {
      questions.add(manyKeys(ServerKind.STANDALONE, keys));
    }
    questions.add(manyKeys(ServerKind.CLUSTER, ManyKeysBenchmark.KEYS_AT_ONCE));
    questions.add(taggedKeys());
    for (int micros : ROUND_TRIPS_MICROS) {
      questions.add(distantKeys(micros));
    }
    questions.add(dependentReads(DEPENDENT_MICROS, false));
    questions.add(distantBlocking());
    for (ValueSizeBenchmark.Size size : ValueSizeBenchmark.Size.values()) {
      questions.add(valueSize(size));
    }
    questions.add(pingStorm());
    for (int rate : RATES) {
      questions.add(latency(rate));
    }
    for (int threads : VIRTUAL_THREADS) {
      questions.add(virtual(threads));
    }
    questions.add(dependentReads(DEPENDENT_MICROS, true));
    return questions;
  }

  private static Question blocking(ServerKind server, int threads, boolean quick) {
    return new Question(
        "blocking-" + lower(server) + "-" + threads,
        threads + (threads == 1 ? " thread" : " threads") + " of blocking GETs, " + lower(server),
        BlockingGetBenchmark.class.getName() + ".get",
        server,
        0,
        threads,
        Map.of("server", server.name()),
        singleKey(EnumSet.allOf(Client.class)),
        false,
        quick);
  }

  private static Question manyKeys(ServerKind server, int keys) {
    boolean main = keys == ManyKeysBenchmark.KEYS_AT_ONCE;
    return new Question(
        (main ? "many-keys-" : "page-" + keys + "-") + lower(server),
        keys + " keys at once, one thread, " + lower(server),
        ManyKeysBenchmark.class.getName() + ".read",
        server,
        0,
        1,
        Map.of("server", server.name(), "keys", Integer.toString(keys)),
        everyWay(server, Way.MANY_KEY_CALL, READS),
        false,
        main);
  }

  private static Question taggedKeys() {
    return new Question(
        "tagged-keys-cluster",
        ManyKeysBenchmark.KEYS_AT_ONCE + " keys of one hash tag at once, one thread, cluster",
        ManyKeysBenchmark.class.getName() + ".read",
        ServerKind.CLUSTER,
        0,
        1,
        Map.of("server", ServerKind.CLUSTER.name(), "layout", Layout.TAGGED.name()),
        everyWay(ServerKind.CLUSTER, Way.MANY_KEY_CALL, READS),
        false,
        false);
  }

  private static Question distantKeys(int micros) {
    Set<Way> ways = EnumSet.copyOf(READS);
    if (micros >= TOO_FAR_FOR_LOOPS_MICROS) {
      ways.remove(Way.LOOP);
    }
    return new Question(
        "distant-keys-" + micros + "us",
        ManyKeysBenchmark.KEYS_AT_ONCE + " keys at once, one thread, " + away(micros),
        ManyKeysBenchmark.class.getName() + ".read",
        ServerKind.DISTANT,
        micros,
        1,
        Map.of("server", ServerKind.DISTANT.name()),
        everyWay(ServerKind.DISTANT, Way.FUTURES, ways),
        false,
        micros == NEIGHBOURS_MICROS);
  }

  private static Question dependentReads(int micros, boolean virtual) {
    return new Question(
        (virtual ? "virtual-" : "") + "dependent-" + micros + "us",
        ManyKeysBenchmark.KEYS_AT_ONCE
            + " times two GETs, the second of the key that the first one names, "
            + away(micros)
            + (virtual ? ", with virtual threads for `mapEach`" : ""),
        DependentReadsBenchmark.class.getName() + ".read",
        ServerKind.DISTANT,
        micros,
        1,
        Map.of(),
        everyWay(ServerKind.DISTANT, Way.LOOP, READS_IN_TURNS),
        virtual,
        false);
  }

  private static Question distantBlocking() {
    return new Question(
        "distant-blocking-64",
        "64 threads of blocking GETs, " + away(NEIGHBOURS_MICROS),
        BlockingGetBenchmark.class.getName() + ".get",
        ServerKind.DISTANT,
        NEIGHBOURS_MICROS,
        64,
        Map.of("server", ServerKind.DISTANT.name()),
        singleKey(EnumSet.allOf(Client.class)),
        false,
        false);
  }

  private static Question valueSize(ValueSizeBenchmark.Size size) {
    return new Question(
        size.question(),
        SIZE_THREADS + " threads of blocking GETs, values of " + size,
        ValueSizeBenchmark.class.getName() + ".get",
        ServerKind.STANDALONE,
        0,
        SIZE_THREADS,
        Map.of("size", size.name()),
        singleKey(EnumSet.allOf(Client.class)),
        false,
        false);
  }

  private static Question pingStorm() {
    Set<Client> pinging = EnumSet.allOf(Client.class);
    pinging.removeIf(client -> !client.pings());
    return new Question(
        "ping-storm-" + STORM_THREADS,
        STORM_THREADS + " threads that ask for a PING, standalone",
        PingStormBenchmark.class.getName() + ".ping",
        ServerKind.STANDALONE,
        0,
        STORM_THREADS,
        Map.of(),
        singleKey(pinging),
        false,
        false);
  }

  private static Question virtual(int threads) {
    return new Question(
        "virtual-" + threads,
        threads + " virtual threads of blocking GETs, standalone",
        VirtualThreadGetBenchmark.class.getName() + ".get",
        ServerKind.STANDALONE,
        0,
        1,
        Map.of(VIRTUAL_THREADS_PARAMETER, Integer.toString(threads)),
        singleKey(EnumSet.allOf(Client.class)),
        true,
        false);
  }

  private static Question latency(int rate) {
    String load =
        rate == 0
            ? " threads that read without a pause"
            : " threads, " + Numbers.rounded(rate) + " GETs a second at moments of their own";
    return new Question(
        GetLoad.QUESTION + (rate == 0 ? "closed" : "open-" + rate),
        GetLoad.THREADS + load + ", standalone",
        GetLoad.class.getName(),
        ServerKind.STANDALONE,
        0,
        GetLoad.THREADS,
        Map.of(GetLoad.RATE, Integer.toString(rate)),
        singleKey(EnumSet.allOf(Client.class)),
        false,
        rate == QUICK_RATE);
  }

  private static String away(int micros) {
    return Numbers.rounded(micros / MICROS_PER_MILLI) + " ms away";
  }

  private static String lower(ServerKind server) {
    return server.name().toLowerCase(Locale.ROOT);
  }

  private static List<Contender> singleKey(Set<Client> clients) {
    return clients.stream().map(client -> new Contender(client, null)).toList();
  }

  /** Lettuce in the given way first: that is what the ratios refer to. */
  private static List<Contender> everyWay(ServerKind server, Way reference, Set<Way> ways) {
    List<Contender> contenders = new ArrayList<>();
    contenders.add(new Contender(Client.LETTUCE, reference));
    for (Client client : Client.values()) {
      for (Way way : ways) {
        Contender contender = new Contender(client, way);
        boolean another = way != Way.LOOP || client == Client.LETTUCE;
        if (another && client.offers(way, server) && !contenders.contains(contender)) {
          contenders.add(contender);
        }
      }
    }
    return contenders;
  }

  /** The question as the options want it; it may end up without contenders. */
  Question limitedTo(CompareOptions options) {
    List<Contender> kept = new ArrayList<>();
    for (Contender contender : contenders) {
      if (options.clients().contains(contender.client())
          && contender.client().runsHere()
          && isWanted(contender, options.ways())
          && belongsTo(contender, options)) {
        kept.add(contender);
      }
    }
    return new Question(
        name, text, benchmark, server, roundTripMicros, threads, parameters, kept, virtual, quick);
  }

  private boolean isWanted(Contender contender, Set<Way> ways) {
    return contender.way() == null
        || ways.contains(contender.way())
        || contender.equals(contenders.get(0));
  }

  private boolean belongsTo(Contender contender, CompareOptions options) {
    return switch (options.scope()) {
      case FULL -> true;
      case QUICK -> !options.mainOnly() || (quick && isQuick(contender));
      case TARGETS -> isTarget(contender);
      case DETAILS -> isDetail() && DETAILED.contains(contender.client());
    };
  }

  private boolean isDetail() {
    return isAboutLatency()
        || benchmark.startsWith(ValueSizeBenchmark.class.getName())
        || benchmark.startsWith(PingStormBenchmark.class.getName());
  }

  /** What the ratios refer to belongs to each target's question. */
  private boolean isTarget(Contender contender) {
    return Target.ALL.stream()
        .filter(target -> target.question().equals(name))
        .anyMatch(
            target -> contender.equals(contenders.get(0)) || target.names().contains(contender));
  }

  /** The quick comparison leaves out what the full one shows to lie between two others. */
  private boolean isQuick(Contender contender) {
    boolean reference = contender.equals(contenders.get(0));
    boolean distant = server == ServerKind.DISTANT;
    return switch (contender.client()) {
      case LETTUCE -> reference;
      case JEDIS -> !distant && isQuickJedis(contender.way());
      case SHEAF ->
          distant
              ? contender.way() == Way.FUTURES
              : contender.way() == null || contender.way() == Way.MANY_KEY_CALL;
      default -> false;
    };
  }

  private boolean isQuickJedis(@Nullable Way way) {
    if (way == null) {
      return server == ServerKind.STANDALONE && !isAboutLatency();
    }
    return way == (server == ServerKind.CLUSTER ? Way.PIPELINE : Way.MANY_KEY_CALL);
  }

  /** Whether so many threads wait that they compete for the processors. */
  boolean isForCrowd() {
    return threads >= CROWD || (virtual && parameters.containsKey(VIRTUAL_THREADS_PARAMETER));
  }

  /** How long each contender is measured, in words. */
  String timing(Scope scope) {
    return Timing.inWords(scope, isForCrowd());
  }

  private boolean isAboutLatency() {
    return name.startsWith(GetLoad.QUESTION);
  }

  /** How one contender is measured once. */
  Order order(Contender contender, String uri, Timing timing, Path log) {
    return new Order(
        benchmark, threads, parametersOf(contender), server, uri, timing, log.toString());
  }

  private Map<String, String> parametersOf(Contender contender) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.put(Order.CLIENT, contender.client().name());
    if (server == ServerKind.DISTANT) {
      all.put("roundTripMicros", Integer.toString(roundTripMicros));
    }
    if (contender.way() != null) {
      all.put("way", contender.way().name());
    }
    return all;
  }
}
