package dev.sheaf.embedded;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A real redis-server 7.0 on a free port, for comparison. Where there is none, tests are skipped
 * and say so; with {@code -Dsheaf.requireServers=true} they fail.
 */
public final class RedisProcess implements AutoCloseable {
  private static final int START_SECONDS = 60;
  private static final String VERSION = "7.0.";

  private final Process process;
  private final int port;

  private RedisProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  public int port() {
    return port;
  }

  /** Skips or fails the test where the program is not installed. */
  static void require(String program) {
    boolean found = false;
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
      found |= Files.isExecutable(Path.of(folder, program));
    }
    if (!found) {
      missing(program + " is not on the PATH");
    }
  }

  private static void missing(String reason) {
    if (Boolean.getBoolean("sheaf.requireServers")) {
      throw new IllegalStateException(reason + ", and sheaf.requireServers asks for it");
    }
    System.out.println("SKIPPED a comparison: " + reason);
    Assumptions.abort(reason);
  }

  private static void requireVersion() throws IOException {
    Process asked = new ProcessBuilder("redis-server", "--version").start();
    String version = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!version.contains("v=" + VERSION)) {
      missing("no redis-server " + VERSION + "* but " + version.trim());
    }
  }

  public static RedisProcess start(Path folder, String... options) throws Exception {
    require("redis-server");
    requireVersion();
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<String> command =
        new ArrayList<>(
            List.of("redis-server", "--port", "" + port, "--save", "", "--bind", "127.0.0.1"));
    command.addAll(List.of("--enable-debug-command", "yes"));
    command.addAll(List.of(options));
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("redis-" + port + ".log").toFile())
            .start();
    RedisProcess redis = new RedisProcess(process, port);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!redis.answers()) {
      if (System.nanoTime() > deadline || !process.isAlive()) {
        redis.close();
        throw new IOException("redis-server did not start within " + START_SECONDS + " s");
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return redis;
  }

  private boolean answers() {
    try (RawConnection connection = new RawConnection(port)) {
      return connection.call("PING").startsWith("+PONG");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
