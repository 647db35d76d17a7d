// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The options of the demonstration. The build passes the first three as system properties. */
final class Options {

  Path output = Path.of(property("demo.output", "target/demo"));
  String redis = property("redis", ""); // The user's server; empty for an embedded cluster.
  String keyPrefix =
      property("keyPrefix", "sheaf-demo:"); // The prefix of every key on the user's server.

  /** The latency of the embedded cluster: a round trip of 1 ms, another zone of the region. */
  Duration oneWayDelay = Duration.ofNanos(500_000);

  int documents = 2_000;
  List<Integer> pages = List.of(30, 100, 1_000); // A screen, a long list, an export.
  int threads = 64;
  int readsPerThread = 300;
  int pings = 10_000; // A multiple of 10.
  int sets = 100_000; // A multiple of 20.

  /** From when on the answer to a PING is late: reading from the data source would be faster. */
  Duration lateAfter = Duration.ofMillis(200);

  /** The maximum age of a value that was read ahead. */
  Duration maxAge = Duration.ofMillis(50);

  /** How long each alternative is warmed up, and then measured; at least one run. */
  Duration warmUp = Duration.ofMillis(600);

  Duration measured = Duration.ofSeconds(1);

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "").strip();
    return value.isEmpty() ? otherwise : value;
  }

  /** Returns the command that repeats this run, without a password. */
  String command() {
    return "./mvnw -q -Pdemo"
        + (redis.isEmpty() ? "" : " -Dredis=" + withoutPassword(redis))
        + (keyPrefix.equals("sheaf-demo:") ? "" : " -DkeyPrefix=" + keyPrefix);
  }

  /** Describes what is measured. */
  String server() {
    return redis.isEmpty()
        ? "an embedded cluster of 3 masters in the same JVM, each behind a proxy that adds "
            + Report.millis(oneWayDelay.toNanos() / 5e5)
            + " to every round trip"
        : withoutPassword(redis);
  }

  /** Returns the URI with asterisks for user and password. */
  private static String withoutPassword(String uri) {
    return uri.replaceFirst("://.*@", "://***@");
  }
}
