package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
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
 * @param threads JMH's threads
 * @param parameters parameters that all rivals share
 * @param contenders who answers; the first is the one the ratios refer to
 * @param quick whether it belongs to the quick comparison
 */
record Question(
    String name,
    String text,
    String benchmark,
    ServerKind server,
    int threads,
    Map<String, String> parameters,
    List<Contender> contenders,
    boolean quick) {

  /**
   * A client, and, where many keys are read, the way it reads them.
   *
   * @param client the client
   * @param way the way, or null where single keys are read
   */
  record Contender(Client client, @Nullable Way way) {

    String label() {
      return way == null ? client.name() : client.name() + " " + way.name();
    }
  }

  private static final int[] THREADS = {1, 2, 8, 64, 256};
  private static final Set<Integer> QUICK_THREADS = Set.of(1, 64);
  private static final int[] VIRTUAL_THREADS = {64, 1000};

  /** All questions that this JVM can answer. */
  static List<Question> all() {
    List<Question> questions = new ArrayList<>();
    for (int threads : THREADS) {
      questions.add(blocking(ServerKind.STANDALONE, threads, QUICK_THREADS.contains(threads)));
    }
    for (int threads : THREADS) {
      questions.add(blocking(ServerKind.CLUSTER, threads, threads == 64));
    }
    questions.add(manyKeys(ServerKind.STANDALONE));
    questions.add(manyKeys(ServerKind.CLUSTER));
    questions.add(distantKeys());
    questions.add(distantBlocking());
    if (VirtualThreads.areAvailable()) {
      for (int threads : VIRTUAL_THREADS) {
        questions.add(virtual(threads));
      }
    }
    return questions;
  }

  private static Question blocking(ServerKind server, int threads, boolean quick) {
    return new Question(
        "blocking-" + lower(server) + "-" + threads,
        threads + (threads == 1 ? " thread" : " threads") + " of blocking GETs, " + lower(server),
        BlockingGetBenchmark.class.getName() + ".get",
        server,
        threads,
        Map.of("server", server.name()),
        singleKey(EnumSet.allOf(Client.class)),
        quick);
  }

  private static Question manyKeys(ServerKind server) {
    return new Question(
        "many-keys-" + lower(server),
        ManyKeysBenchmark.KEYS_AT_ONCE + " keys at once, one thread, " + lower(server),
        ManyKeysBenchmark.class.getName() + ".read",
        server,
        1,
        Map.of("server", server.name()),
        everyWay(server, Way.MANY_KEY_CALL),
        true);
  }

  private static Question distantKeys() {
    return new Question(
        "distant-keys",
        ManyKeysBenchmark.KEYS_AT_ONCE + " keys at once, one thread, 1.2 ms away",
        LatencyBenchmark.class.getName() + ".hundredKeys",
        ServerKind.DISTANT,
        1,
        Map.of(),
        everyWay(ServerKind.DISTANT, Way.FUTURES),
        true);
  }

  private static Question distantBlocking() {
    return new Question(
        "distant-blocking-64",
        "64 threads of blocking GETs, 1.2 ms away",
        LatencyBenchmark.class.getName() + ".get",
        ServerKind.DISTANT,
        64,
        Map.of("way", Way.FUTURES.name()),
        singleKey(EnumSet.allOf(Client.class)),
        false);
  }

  private static Question virtual(int threads) {
    return new Question(
        "virtual-" + threads,
        threads + " virtual threads of blocking GETs, standalone",
        VirtualThreadGetBenchmark.class.getName() + ".get",
        ServerKind.STANDALONE,
        1,
        Map.of("virtualThreads", Integer.toString(threads)),
        singleKey(EnumSet.allOf(Client.class)),
        threads == 1000);
  }

  private static String lower(ServerKind server) {
    return server.name().toLowerCase(java.util.Locale.ROOT);
  }

  private static List<Contender> singleKey(Set<Client> clients) {
    return clients.stream().map(client -> new Contender(client, null)).toList();
  }

  /** Lettuce in the given way first: that is what the ratios refer to. */
  private static List<Contender> everyWay(ServerKind server, Way reference) {
    List<Contender> contenders = new ArrayList<>();
    contenders.add(new Contender(Client.LETTUCE, reference));
    for (Client client : Client.values()) {
      for (Way way : Way.values()) {
        Contender contender = new Contender(client, way);
        if (client.offers(way, server) && !contenders.contains(contender)) {
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
          && (!options.quick() || isQuick(contender))) {
        kept.add(contender);
      }
    }
    return new Question(name, text, benchmark, server, threads, parameters, kept, quick);
  }

  /** The quick comparison leaves out what the full one shows to lie between two others. */
  private boolean isQuick(Contender contender) {
    boolean reference = contender.equals(contenders.get(0));
    return switch (contender.client()) {
      case LETTUCE -> reference || contender.way() == Way.FUTURES;
      case LETTUCE_FLUSH_CONSOLIDATION -> false;
      case JEDIS -> server != ServerKind.DISTANT && isQuickJedis(contender.way());
      case SHEAF ->
          contender.way() != Way.PIPELINE
              && !(server == ServerKind.DISTANT && contender.way() == Way.MANY_KEY_CALL);
    };
  }

  private boolean isQuickJedis(@Nullable Way way) {
    if (way == null) {
      return server == ServerKind.STANDALONE && parameters.get("virtualThreads") == null;
    }
    return (way == Way.PIPELINE) == (server == ServerKind.CLUSTER);
  }

  /** JMH's parameters for one contender. */
  Map<String, String> parametersOf(Contender contender) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    all.put("client", contender.client().name());
    if (contender.way() != null) {
      all.put("way", contender.way().name());
    }
    return all;
  }
}
