// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.proxy.LatencyProxy;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs an {@link EmbeddedServer} from the command line until it is interrupted. */
public final class Main {
  private static final String HELP =
      """
      Usage: java -cp ... dev.sheaf.embedded.Main [options]

        --port N          TCP port on 127.0.0.1; 0 takes a free one (default 6379);
                          a cluster takes consecutive ports from here
        --version NAME    the server to behave as: redis-7.0 (the default), redis-7.4, redis-8.0
                          or valkey-8.1
        --cluster MxR     a cluster of M masters with R replicas each, such as 3x1
        --unixsocket PATH listen on a Unix socket as well (standalone only)
        --password TEXT   what clients must authenticate with
        --compress TIME   compress strings idle for so long, such as 60s; needs lz4-java
        --epoll           use Linux's epoll; needs netty-transport-native-epoll
        --latency TIME    a proxy in front of each node that delays each way by half of TIME,
                          such as 1ms or 500us; clients see the proxies' ports only
        --help            this text
      """;
  private static final int DEFAULT_PORT = 6379;
  private static final int USAGE_ERROR = 2;

  private Main() {}

  /**
   * Runs until a signal ends the JVM, whose status is then 128 plus the signal; exits with 1 if the
   * server cannot start, 2 on a wrong option.
   */
  public static void main(String[] args) throws InterruptedException {
    int status = run(List.of(args), System.out, System.err);
    if (status != 0) {
      System.exit(status);
    }
  }

  static int run(List<String> args, PrintStream out, PrintStream err) throws InterruptedException {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage() + "\nTry --help.");
      return USAGE_ERROR;
    }
    if (options.help) {
      out.print(HELP);
      return 0;
    }
    Running running;
    try {
      running = new Running(options);
    } catch (RuntimeException e) {
      err.println("cannot start: " + e.getMessage());
      return 1;
    }
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  running.close();
                  stopped.countDown();
                }));
    running.describe(out);
    stopped.await();
    return 0;
  }

  /** The server and, with a latency, a proxy in front of each node. */
  private static final class Running implements AutoCloseable {
    private final EmbeddedServer server;
    private final List<LatencyProxy> proxies = new ArrayList<>();

    Running(Options options) {
      boolean proxied = !options.latency.isZero();
      server = options.server.port(proxied ? 0 : options.port).start();
      try {
        for (int i = 0; proxied && i < server.nodes().size(); i++) {
          EmbeddedNode node = server.nodes().get(i);
          LatencyProxy proxy =
              LatencyProxy.builder()
                  .target("127.0.0.1", node.port())
                  .oneWayDelay(options.latency.dividedBy(2))
                  .listenPort(options.port == 0 ? 0 : options.port + i)
                  .start();
          proxies.add(proxy);
          node.announcePort(proxy.port());
        }
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }

    void describe(PrintStream out) {
      for (int i = 0; i < server.nodes().size(); i++) {
        EmbeddedNode node = server.nodes().get(i);
        int port = proxies.isEmpty() ? node.port() : proxies.get(i).port();
        out.println("ready on " + server.uri(port) + (node.isMaster() ? "" : " (replica)"));
      }
      out.flush();
    }

    @Override
    public void close() {
      proxies.forEach(LatencyProxy::close);
      server.close();
    }
  }

  /** The parsed command line. */
  static final class Options {
    private static final Pattern CLUSTER = Pattern.compile("(\\d{1,5})x(\\d{1,3})");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(us|ms|s)");

    final EmbeddedServerBuilder server = EmbeddedServer.builder();
    private int port = DEFAULT_PORT;
    private Duration latency = Duration.ZERO;
    private boolean cluster;
    private boolean unixSocket;
    private boolean help;

    /**
     * @throws IllegalArgumentException if options are unknown, malformed or contradictory
     */
    static Options parse(List<String> args) {
      Options options = new Options();
      Iterator<String> rest = args.iterator();
      while (rest.hasNext()) {
        options.take(rest.next(), rest);
      }
      Check.argument(
          options.cluster && options.unixSocket,
          "--unixsocket is for a standalone server; leave out --cluster");
      options.server.port(options.port);
      return options;
    }

    private void take(String option, Iterator<String> rest) {
      switch (option) {
        case "--help", "-h" -> help = true;
        case "--port" -> port = number(option, value(option, rest));
        case "--cluster" -> {
          Matcher size = match(CLUSTER, option, value(option, rest), "masters x replicas, as 3x1");
          server.cluster(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)));
          cluster = true;
        }
        case "--unixsocket" -> {
          server.unixSocket(Path.of(value(option, rest)));
          unixSocket = true;
        }
        case "--version" -> server.version(Version.named(value(option, rest)));
        case "--epoll" -> server.epoll();
        case "--password" -> server.password(value(option, rest));
        case "--compress" -> server.compressIdleAfter(time(option, value(option, rest)));
        case "--latency" -> latency = time(option, value(option, rest));
        default -> throw new IllegalArgumentException("unknown option " + option);
      }
    }

    private static Duration time(String option, String value) {
      Matcher time = match(TIME, option, value, "a time, as 1ms or 500us");
      long amount = Long.parseLong(time.group(1));
      return switch (time.group(2)) {
        case "us" -> Duration.ofNanos(amount * 1000);
        case "ms" -> Duration.ofMillis(amount);
        default -> Duration.ofSeconds(amount);
      };
    }

    private static String value(String option, Iterator<String> rest) {
      Check.argument(!rest.hasNext(), "%s needs a value", option);
      return rest.next();
    }

    private static int number(String option, String value) {
      try {
        return Integer.parseInt(value);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(option + " needs a number: " + value, e);
      }
    }

    private static Matcher match(Pattern pattern, String option, String value, String what) {
      Matcher matcher = pattern.matcher(value);
      Check.argument(!matcher.matches(), "%s needs %s: %s", option, what, value);
      return matcher;
    }
  }
}
