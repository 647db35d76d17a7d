package dev.sheaf.benchmarks.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A redis-server on a free port of the loopback interface, without persistence.
 *
 * <p>It ends with this JVM, however that ends. Between the two stands a shell that reads from a
 * pipe of this JVM; when the pipe closes, as it does even if the JVM is killed, the shell kills the
 * server and removes its directory.
 */
public final class RedisProcess implements AutoCloseable {

  public static final String EXECUTABLE = "redis-server";

  private static final Duration START_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  /** Another process may take a port between our choosing it and the server's binding it. */
  private static final int ATTEMPTS = 5;

  /** $1 is the server's directory, the rest its command. Prints the server's process id. */
  private static final String GUARD =
      """
      trap '' INT HUP
      directory=$1
      shift
      "$@" </dev/null >"$directory/redis.log" 2>&1 &
      echo $!
      read -r line
      kill -9 $! 2>/dev/null
      wait $! 2>/dev/null
      rm -rf "$directory"
      """;

  private final Process guard;
  private final ProcessHandle server;
  private final Path directory;
  private final int port;
  private final int busPort;

  private RedisProcess(Process guard, ProcessHandle server, Path directory, int port, int busPort) {
    this.guard = guard;
    this.server = server;
    this.directory = directory;
    this.port = port;
    this.busPort = busPort;
  }

  /** Whether redis-server is on the path. */
  public static boolean isInstalled() {
    return Tools.areInstalled(EXECUTABLE);
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @throws ComparisonException if it cannot be started; the message says why
   */
  public static RedisProcess start(boolean cluster) {
    if (!isInstalled()) {
      throw new ComparisonException(
          EXECUTABLE
              + " is not on the PATH; install Redis 7 or newer, or name servers that run with"
              + " -Dredis.uri=redis://host:port and -Dredis.cluster.uri=redis://host:port");
    }
    String failure = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RedisProcess process = launch(cluster);
      if (process.awaitAnswer()) {
        return process;
      }
      failure = process.log();
      process.close();
    }
    throw new ComparisonException(
        EXECUTABLE + " did not answer within " + START_TIMEOUT.toSeconds() + " s:\n" + failure);
  }

  private static RedisProcess launch(boolean cluster) {
    try {
      Path directory = Files.createTempDirectory("sheaf-benchmark-redis");
      int port = freePort();
      int busPort = freePort();
      List<String> command = serverCommand(directory, port, busPort, cluster);
      Process guard =
          new ProcessBuilder(guarded(directory, command))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      return new RedisProcess(guard, readServer(guard), directory, port, busPort);
    } catch (IOException e) {
      throw new ComparisonException("Cannot start " + EXECUTABLE + ": " + e.getMessage(), e);
    }
  }

  private static List<String> guarded(Path directory, List<String> command) {
    List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "sh", directory.toString()));
    guarded.addAll(command);
    return guarded;
  }

  private static List<String> serverCommand(
      Path directory, int port, int busPort, boolean cluster) {
    List<String> command =
        new ArrayList<>(
            List.of(EXECUTABLE, "--bind", "127.0.0.1", "--port", Integer.toString(port)));
    command.addAll(List.of("--dir", directory.toString(), "--save", "", "--appendonly", "no"));
    if (cluster) {
      command.addAll(
          List.of("--cluster-enabled", "yes", "--cluster-port", Integer.toString(busPort)));
    }
    return command;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static ProcessHandle readServer(Process guard) throws IOException {
    BufferedReader output =
        new BufferedReader(
            new InputStreamReader(guard.getInputStream(), StandardCharsets.US_ASCII));
    String id = output.readLine();
    if (id == null) {
      throw new IOException("the shell that starts the server ended at once");
    }
    long processId = Long.parseLong(id.trim());
    return ProcessHandle.of(processId)
        .orElseThrow(() -> new IOException("the server, process " + processId + ", ended at once"));
  }

  private boolean awaitAnswer() {
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (System.nanoTime() - deadline < 0 && server.isAlive()) {
      try (Jedis jedis = connect()) {
        // Another server may have taken the port.
        return jedis.info("server").contains("process_id:" + server.pid() + "\r\n");
      } catch (JedisConnectionException notYet) {
        pause();
      }
    }
    return false;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ComparisonException("Interrupted while a server was starting", e);
    }
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("redis.log"));
    } catch (IOException e) {
      return "(there is no log: " + e.getMessage() + ")";
    }
  }

  Jedis connect() {
    return new Jedis("127.0.0.1", port);
  }

  HostAndPort address() {
    return new HostAndPort("127.0.0.1", port);
  }

  public int port() {
    return port;
  }

  int busPort() {
    return busPort;
  }

  ProcessHandle handle() {
    return server;
  }

  Path directory() {
    return directory;
  }

  /** Kills the server and removes its directory. */
  @Override
  public void close() {
    try {
      guard.getOutputStream().close();
      if (!guard.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        server.destroyForcibly();
        guard.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.destroyForcibly();
    }
  }
}
