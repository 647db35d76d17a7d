package dev.sheaf.examples.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/**
 * What to demonstrate, on what.
 *
 * @param repository the folder whose POM files are the data
 * @param output the folder the reports go to
 * @param redis the URI of the user's own server; empty for an embedded one
 * @param keyPrefix what stands before every key on the user's own server
 * @param oneWayDelay the distance of the embedded server
 * @param pages sizes of the pages that are read, in documents
 * @param threads how many threads read at once, as many documents each as the smallest page has
 * @param pings how many PINGs are sent
 * @param sets how many sorted sets are asked for their size
 * @param budget how long each way is run
 */
record DemoOptions(
    Path repository,
    Path output,
    String redis,
    String keyPrefix,
    Duration oneWayDelay,
    List<Integer> pages,
    int threads,
    int pings,
    int sets,
    Budget budget)
    implements ExperimentPlan {

  /** On the user's own server every key begins with this, unless told otherwise. */
  static final String DEFAULT_KEY_PREFIX = "sheaf-demo:";

  /** A round trip of 1 ms: a server in another zone of the same data centre region. */
  static final Duration DEFAULT_ONE_WAY_DELAY = Duration.ofNanos(500_000);

  /** What fits on a screen, a long list, and an export. */
  static final List<Integer> DEFAULT_PAGES = List.of(30, 100, 1_000);

  /** As many requests as a busy service works on at a time. */
  static final int DEFAULT_THREADS = 64;

  static final int DEFAULT_PINGS = 10_000;

  static final int DEFAULT_SETS = 100_000;

  /** Reads the properties that the build passes on; absent and empty ones have defaults. */
  static DemoOptions of(Properties properties) {
    String home = properties.getProperty("user.home", ".");
    return new DemoOptions(
        Path.of(value(properties, "demo.repository", Path.of(home, ".m2", "repository"))),
        Path.of(value(properties, "demo.output", Path.of("target", "demo"))),
        value(properties, "redis", ""),
        value(properties, "keyPrefix", DEFAULT_KEY_PREFIX),
        DEFAULT_ONE_WAY_DELAY,
        DEFAULT_PAGES,
        DEFAULT_THREADS,
        DEFAULT_PINGS,
        DEFAULT_SETS,
        Budget.DEFAULT);
  }

  private static String value(Properties properties, String name, Object otherwise) {
    String value = properties.getProperty(name, "");
    return value.isBlank() ? otherwise.toString() : value.strip();
  }

  @Override
  public List<Experiment> experiments(Documents documents, TargetServer server) {
    String keyPrefix = server.keyPrefix();
    List<Experiment> experiments = new ArrayList<>();
    for (int size : pages) {
      experiments.add(new PageExperiment(documents, keyPrefix, size));
    }
    experiments.add(new DependentExperiment(documents, keyPrefix, pages.get(pages.size() / 2)));
    experiments.add(new ThreadsExperiment(documents, keyPrefix, threads, pages.get(0)));
    experiments.add(new PingExperiment(pings));
    experiments.add(new PingStormExperiment(keyPrefix, pings));
    experiments.add(new SizesExperiment(keyPrefix, sets));
    experiments.add(new BandwidthExperiment(documents, server));
    return experiments;
  }

  @Override
  public int minKeys() {
    return Collections.max(pages);
  }

  boolean ownServer() {
    return !redis.isEmpty();
  }

  /** The command that repeats this run, without a password. */
  String command() {
    String command = "./mvnw -q -Pdemo";
    if (ownServer()) {
      command += " -Dredis=" + withoutPassword(redis);
      if (!keyPrefix.equals(DEFAULT_KEY_PREFIX)) {
        command += " -DkeyPrefix=" + keyPrefix;
      }
    }
    return command;
  }

  /** The folder as reports name it: without the user's name if it is the user's. */
  String shownRepository() {
    Path home = Path.of(System.getProperty("user.home", "."));
    return repository.startsWith(home) ? "~/" + home.relativize(repository) : repository.toString();
  }

  /** The URI with asterisks where user and password stand. */
  static String withoutPassword(String uri) {
    int start = uri.indexOf("://");
    int at = uri.lastIndexOf('@');
    return start < 0 || at < start
        ? uri
        : uri.substring(0, start + "://".length()) + "***" + uri.substring(at);
  }
}
