// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A redis-server process on a free loopback port, without persistence, for one test or many. Not
 * thread-safe.
 *
 * <p>The executable is the first {@code redis-server} on the PATH, or the one that the system
 * property {@code redis.server.path} names. What is not stopped ends with the JVM, however that
 * ends.
 */
public final class RealRedis implements AutoCloseable {
  static final String HOST = "127.0.0.1";

  private static final Duration START_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(5);
  private static final int START_ATTEMPTS = 5;
  // Below the ports that Linux gives to outgoing connections, so that none of those can take the
  // port while a server is down between kill() and restart().
  private static final int FIRST_PORT = 16_384;
  private static final int LAST_PORT = 32_767;
  private static final int OUTPUT_LINES_IN_ERRORS = 20;

  private final Path directory;
  private final Path output;
  private final int port;
  private final @Nullable Path executable;
  private Process process;

  private RealRedis(@Nullable Path executable, Path directory, int port, List<String> config)
      throws IOException {
    this.executable = executable;
    this.directory = directory;
    this.output = directory.resolve("output");
    this.port = port;
    Files.write(directory.resolve("redis.conf"), config);
    this.process = launch();
  }

  /** The server's executable, or empty where there is none. */
  public static Optional<Path> executable() {
    String configured = System.getProperty("redis.server.path");
    Stream<Path> candidates =
        configured != null
            ? Stream.of(Path.of(configured))
            : Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry, "redis-server"));
    return candidates.filter(Files::isRegularFile).filter(Files::isExecutable).findFirst();
  }

  /**
   * Skips the test where there is no redis-server; fails it with {@code
   * -Dsheaf.requireServers=true}.
   */
  public static void require() {
    if (executable().isPresent()) {
      return;
    }
    String reason = "no redis-server on the PATH";
    if (Boolean.getBoolean("sheaf.requireServers")) {
      throw new IllegalStateException(reason + ", which sheaf.requireServers asks for");
    }
    System.out.println("SKIPPED: " + reason);
    throw new TestAbortedException(reason);
  }

  /** Starts a server with these lines added to its configuration, and waits until it answers. */
  public static RealRedis start(String... configLines) {
    return builder().config(configLines).start();
  }

  public static Builder builder() {
    return new Builder();
  }

  public String host() {
    return HOST;
  }

  public int port() {
    return port;
  }

  /** The server as a URI, {@code redis://127.0.0.1:port}. */
  public String uri() {
    return "redis://" + HOST + ":" + port;
  }

  /** The Unix domain socket, which is there if {@link Builder#unixSocket} asked for it. */
  public Path unixSocket() {
    return directory.resolve("redis.sock");
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** What the server has printed since its first start. */
  public String output() {
    try {
      return Files.exists(output) ? Files.readString(output) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens a connection for administration; the caller closes it. */
  public RespConnection connect() {
    return RespConnection.open(HOST, port);
  }

  /** Runs one command on a connection of its own. See {@link RespConnection#call}. */
  public @Nullable Object command(String... command) {
    try (RespConnection connection = connect()) {
      return connection.call(command);
    }
  }

  /** Halts the process where it is (SIGSTOP): connections stay open, nothing is answered. */
  public void pause() {
    signal("STOP");
    Await.until("redis-server " + pid() + " to halt", SIGNAL_TIMEOUT, () -> isHalted(pid()));
  }

  /** Lets a paused process go on (SIGCONT). */
  public void resume() {
    signal("CONT");
  }

  /** Ends the process at once (SIGKILL), as a crash would. {@link #restart} brings it back. */
  public void kill() {
    process.destroyForcibly();
    Await.until("redis-server " + pid() + " to end", SIGNAL_TIMEOUT, () -> !process.isAlive());
    ServerFiles.unguard(directory);
  }

  /** Kills the process if it lives, starts one on the same port, and waits until it answers. */
  public void restart() {
    kill();
    try {
      process = launch();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    awaitReady();
  }

  /** Ends the process and removes its files. A second call does nothing. */
  public void stop() {
    if (Files.exists(directory)) {
      kill();
      ServerFiles.delete(directory);
    }
  }

  /** As {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  private Process launch() throws IOException {
    Path file =
        Optional.ofNullable(executable)
            .or(RealRedis::executable)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "no redis-server on the PATH; install it, or name it with"
                            + " -Dredis.server.path"));
    Process launched =
        new ProcessBuilder(file.toString(), directory.resolve("redis.conf").toString())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    ServerFiles.guard(directory, launched);
    return launched;
  }

  private void awaitReady() {
    Await.until(
        "redis-server on port " + port + " to answer",
        START_TIMEOUT,
        () -> !process.isAlive() || answers(),
        () -> "; it printed:\n" + lastOutput());
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "redis-server ended with "
              + process.exitValue()
              + " while starting; it printed:\n"
              + lastOutput());
    }
  }

  /** Whether this very process answers: the port could belong to another one. */
  private boolean answers() {
    try (RespConnection connection = connect()) {
      return connection.text("INFO", "server").contains("process_id:" + pid() + "\r\n");
    } catch (RespConnection.ErrorReply e) {
      return String.valueOf(e.getMessage()).startsWith("NOAUTH");
    }
  }

  private String lastOutput() {
    List<String> lines = output().lines().toList();
    return String.join(
        "\n", lines.subList(Math.max(0, lines.size() - OUTPUT_LINES_IN_ERRORS), lines.size()));
  }

  private void signal(String name) {
    try {
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid())
              .redirectErrorStream(true)
              .start();
      String message = new String(kill.getInputStream().readAllBytes()).strip();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("SIG" + name + " to redis-server failed: " + message);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while sending SIG" + name, e);
    }
  }

  /** Reads the state that Linux shows; elsewhere the signal's delivery is taken for granted. */
  private static boolean isHalted(long pid) throws IOException {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    if (!Files.exists(stat)) {
      return true;
    }
    String line = Files.readString(stat);
    return line.charAt(line.lastIndexOf(')') + 2) == 'T';
  }

  /** A loopback port that nothing listens on now. */
  static int freePort() {
    for (int attempt = 0; attempt < 1000; attempt++) {
      int candidate = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT + 1);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), candidate));
        return candidate;
      } catch (IOException inUse) {
        // Try another.
      }
    }
    throw new IllegalStateException("no free port from " + FIRST_PORT + " to " + LAST_PORT);
  }

  /** What a server is started with. Not thread-safe. */
  public static final class Builder {
    private final List<String> config = new ArrayList<>();
    private int port;
    private boolean unixSocket;
    private @Nullable Path executable;

    private Builder() {}

    /** The port; 0, the default, takes a free one. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Adds lines as they would stand in redis.conf; the last of equal ones counts. */
    public Builder config(String... lines) {
      config.addAll(List.of(lines));
      return this;
    }

    /** The server's file, in place of {@link RealRedis#executable()}. */
    public Builder executable(Path file) {
      this.executable = file;
      return this;
    }

    /** Listens on a Unix domain socket too. */
    public Builder unixSocket() {
      this.unixSocket = true;
      return this;
    }

    /**
     * Starts the server and waits until it answers.
     *
     * @throws IllegalStateException if there is no redis-server or it ends while starting, with
     *     what it printed
     */
    public RealRedis start() {
      for (int attempt = 1; true; attempt++) {
        RealRedis server = launch();
        try {
          server.awaitReady();
          return server;
        } catch (RuntimeException | AssertionError e) {
          boolean portTaken = server.output().contains("Address already in use");
          server.stop();
          if (port != 0 || !portTaken || attempt == START_ATTEMPTS) {
            throw e;
          }
        }
      }
    }

    private RealRedis launch() {
      Path directory = ServerFiles.newDirectory();
      int chosen = port == 0 ? freePort() : port;
      try {
        return new RealRedis(executable, directory, chosen, lines(directory, chosen));
      } catch (IOException e) {
        ServerFiles.delete(directory);
        throw new UncheckedIOException(e);
      } catch (RuntimeException e) {
        ServerFiles.delete(directory);
        throw e;
      }
    }

    private List<String> lines(Path directory, int chosenPort) {
      List<String> lines = new ArrayList<>();
      lines.add("bind " + HOST);
      lines.add("port " + chosenPort);
      lines.add("dir " + directory);
      lines.add("save \"\"");
      lines.add("appendonly no");
      if (unixSocket) {
        lines.add("unixsocket " + directory.resolve("redis.sock"));
      }
      lines.addAll(config);
      return lines;
    }
  }
}
