// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A redis-server process for one test class, if there is a redis-server. */
final class RedisServer implements AutoCloseable {

  private static final int START_SECONDS = 10;

  private final Process process;
  private final int port;

  private RedisServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Skips the test class, and says so, where there is none and none is required. */
  static RedisServer startOrSkip() throws Exception {
    return start("--port", List.of());
  }

  /** As {@link #startOrSkip}, with TLS alone. */
  static RedisServer startWithTlsOrSkip(Path certificate, Path key) throws Exception {
    return start(
        "--tls-port",
        List.of(
            "--port",
            "0",
            "--tls-cert-file",
            certificate.toString(),
            "--tls-key-file",
            key.toString(),
            "--tls-ca-cert-file",
            certificate.toString(),
            "--tls-auth-clients",
            "no"));
  }

  /** A program on the path, or the test is skipped. */
  static String programOrSkip(String name) {
    Optional<Path> executable =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .map(entry -> Path.of(entry, name))
            .filter(Files::isExecutable)
            .findFirst();
    if (executable.isEmpty()) {
      skip("sheaf.requireServers", "no " + name + " on the PATH");
    }
    return executable.orElseThrow().toString();
  }

  private static RedisServer start(String portOption, List<String> options) throws Exception {
    int port = freePort();
    List<String> command = new ArrayList<>();
    command.add(programOrSkip("redis-server"));
    command.addAll(List.of(portOption, Integer.toString(port), "--bind", "127.0.0.1"));
    command.addAll(List.of("--save", "", "--appendonly", "no"));
    command.addAll(options);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    RedisServer server = new RedisServer(process, port);
    server.awaitReady();
    return server;
  }

  static void skip(String requiringProperty, String reason) {
    if (Boolean.getBoolean(requiringProperty)) {
      fail(reason + ", and -D" + requiringProperty + "=true");
    }
    System.out.println("SKIPPED: " + reason);
    Assumptions.abort(reason);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitReady() throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < deadline && process.isAlive()) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        process.waitFor(20, TimeUnit.MILLISECONDS);
      }
    }
    close();
    fail("redis-server did not start on port " + port);
  }

  int port() {
    return port;
  }

  String uri() {
    return "redis://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
