package dev.sheaf.embedded;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Runs an {@link EmbeddedServer} from the command line until it is interrupted. */
public final class Main {
  private static final String HELP =
      """
      Usage: java -cp ... dev.sheaf.embedded.Main [options]

        --port N          TCP port on 127.0.0.1; 0 takes a free one (default 6379);
                          a cluster takes consecutive ports from here
        --cluster MxR     a cluster of M masters with R replicas each, such as 3x1
        --unixsocket PATH listen on a Unix socket as well (standalone only)
        --password TEXT   what clients must authenticate with
        --help            this text
      """;
  private static final int DEFAULT_PORT = 6379;
  private static final int USAGE_ERROR = 2;

  private Main() {}

  /** Exits with 0 after an interrupt, 1 if the server cannot start, 2 on a wrong option. */
  public static void main(String[] args) throws InterruptedException {
    int status = run(List.of(args), System.out, System.err);
    if (status != 0) {
      System.exit(status);
    }
  }

  static int run(List<String> args, PrintStream out, PrintStream err) throws InterruptedException {
    EmbeddedServer.@Nullable Builder builder;
    try {
      builder = parse(args);
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage() + "\nTry --help.");
      return USAGE_ERROR;
    }
    if (builder == null) {
      out.print(HELP);
      return 0;
    }
    EmbeddedServer server;
    try {
      server = builder.start();
    } catch (RuntimeException e) {
      err.println("cannot start: " + e.getMessage());
      return 1;
    }
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.close();
                  stopped.countDown();
                }));
    for (EmbeddedNode node : server.nodes()) {
      out.println("ready on " + node.uri() + (node.isMaster() ? "" : " (replica)"));
    }
    out.flush();
    stopped.await();
    return 0;
  }

  /** Null asks for the help text. */
  static EmbeddedServer.@Nullable Builder parse(List<String> args) {
    EmbeddedServer.Builder builder = EmbeddedServer.builder().port(DEFAULT_PORT);
    boolean cluster = false;
    boolean unix = false;
    Iterator<String> rest = args.iterator();
    while (rest.hasNext()) {
      String option = rest.next();
      switch (option) {
        case "--help", "-h" -> {
          return null;
        }
        case "--port" -> builder.port(number(option, value(option, rest)));
        case "--cluster" -> {
          cluster(builder, value(option, rest));
          cluster = true;
        }
        case "--unixsocket" -> {
          builder.unixSocket(Path.of(value(option, rest)));
          unix = true;
        }
        case "--password" -> builder.password(value(option, rest));
        default -> throw new IllegalArgumentException("unknown option " + option);
      }
    }
    if (cluster && unix) {
      throw new IllegalArgumentException(
          "--unixsocket is for a standalone server; leave out --cluster");
    }
    return builder;
  }

  private static String value(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return rest.next();
  }

  private static int number(String option, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " needs a number: " + value, e);
    }
  }

  private static void cluster(EmbeddedServer.Builder builder, String value) {
    if (!value.matches("\\d{1,5}x\\d{1,3}")) {
      throw new IllegalArgumentException(
          "--cluster needs masters x replicas, such as 3x1: " + value);
    }
    int x = value.indexOf('x');
    builder.cluster(
        Integer.parseInt(value.substring(0, x)), Integer.parseInt(value.substring(x + 1)));
  }
}
