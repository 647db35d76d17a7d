package dev.sheaf.examples.demo;

import dev.sheaf.LoopLearning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What to demonstrate, on what. The build passes some of it on as system properties. */
final class Options {

  /** The folder of the reports. */
  Path output = Path.of(property("demo.output", "target/demo"));

  /** The URI of the user's own server; empty for an embedded cluster. */
  String redis = property("redis", "");

  /** What every key on the user's own server begins with. */
  String keyPrefix = property("keyPrefix", "sheaf-demo:");

  /** The distance of the embedded cluster: a round trip of 1 ms, another zone of the region. */
  Duration oneWayDelay = Duration.ofNanos(500_000);

  int documents = 2_000;

  /** Sizes of the pages that are read: a screen, a long list, an export. */
  List<Integer> pages = List.of(30, 100, 1_000);

  int threads = 64;
  int readsPerThread = 300;

  /** How many PINGs are sent, a multiple of 10. */
  int pings = 10_000;

  /** When the answer to a PING is late: reading from the source of the data is quicker then. */
  Duration lateAfter = Duration.ofMillis(200);

  /** How many sorted sets are asked for their size, a multiple of 20. */
  int sets = 100_000;

  LoopLearning learning = LoopLearning.defaults();

  /** How long each way is run before it is measured, and then measured; one run at least. */
  Duration warmUp = Duration.ofMillis(600);

  Duration measured = Duration.ofSeconds(1);

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "").strip();
    return value.isEmpty() ? otherwise : value;
  }

  /** The command that repeats this run, without a password. */
  String command() {
    return "./mvnw -q -Pdemo"
        + (redis.isEmpty() ? "" : " -Dredis=" + withoutPassword(redis))
        + (keyPrefix.equals("sheaf-demo:") ? "" : " -DkeyPrefix=" + keyPrefix);
  }

  /** The URI with asterisks where user and password stand. */
  static String withoutPassword(String uri) {
    return uri.replaceFirst("://.*@", "://***@");
  }
}
