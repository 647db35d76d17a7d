// SPDX-License-Identifier: Apache-2.0
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
 * A real server on a free port, for comparison: redis-server 7.0 of the PATH, or a newer one of the
 * folder that {@code -Dsheaf.server.valkey-8.1=FOLDER} names. Where there is none, tests are
 * skipped and say so; with {@code -Dsheaf.requireServers=true} they fail if it is that of the PATH.
 */
public final class RedisProcess implements AutoCloseable {
  private static final int START_SECONDS = 60;

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
    skip(reason);
  }

  private static void skip(String reason) {
    System.out.println("SKIPPED a comparison: " + reason);
    Assumptions.abort(reason);
  }

  /** The program of a version; skips or fails the test where there is none. */
  private static String program(Version version) throws IOException {
    String program = "redis-server";
    if (version != Version.REDIS_7_0) {
      String folder = System.getProperty("sheaf.server." + version);
      if (folder == null) {
        skip("no " + version + ": -Dsheaf.server." + version + "=FOLDER says where it is");
      }
      program = Path.of(String.valueOf(folder), "bin", program).toString();
    } else {
      require(program);
    }
    Process asked = new ProcessBuilder(program, "--version").start();
    String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String wanted = version.toString().replaceFirst(".*-", "v=") + ".";
    if (!said.contains(wanted)) {
      missing("no " + program + " " + wanted + "* but " + said.trim());
    }
    return program;
  }

  public static RedisProcess start(Path folder, String... options) throws Exception {
    return start(Version.REDIS_7_0, folder, options);
  }

  static RedisProcess start(Version version, Path folder, String... options) throws Exception {
    String program = program(version);
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<String> command =
        new ArrayList<>(List.of(program, "--port", "" + port, "--save", "", "--bind", "127.0.0.1"));
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
