package dev.sheaf.embedded;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A real redis-server on a free port, for comparison; tests are skipped where there is none. */
final class RedisProcess implements AutoCloseable {
  private static final int START_SECONDS = 10;

  private final Process process;
  private final int port;

  private RedisProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  int port() {
    return port;
  }

  /** Skips the test, with the reason printed, where the program is not installed. */
  static void require(String program) {
    boolean found = false;
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
      found |= Files.isExecutable(Path.of(folder, program));
    }
    if (!found) {
      System.out.println("skipped: " + program + " is not on the PATH");
    }
    Assumptions.assumeTrue(found, program + " is not on the PATH");
  }

  static RedisProcess start(Path folder, String... options) throws Exception {
    require("redis-server");
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
