// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Whether a Docker-compatible engine is there. Testcontainers would find out too, after seconds and
 * with a page of errors in the log.
 */
final class ContainerEngine {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int DOCKER_PORT = 2375;
  private static final String DEFAULT_SOCKET = "/var/run/docker.sock";

  private ContainerEngine() {}

  /** Where the engine should be: DOCKER_HOST, or else the first Docker socket there is. */
  static String address() {
    String configured = System.getenv("DOCKER_HOST");
    if (configured != null && !configured.isEmpty()) {
      return configured;
    }
    String home = System.getProperty("user.home", "");
    Optional<String> socket =
        Stream.of(
                DEFAULT_SOCKET,
                System.getenv().getOrDefault("XDG_RUNTIME_DIR", home) + "/docker.sock",
                home + "/.docker/run/docker.sock",
                home + "/.docker/desktop/docker.sock")
            .filter(path -> Files.exists(Path.of(path)))
            .findFirst();
    return "unix://" + socket.orElse(DEFAULT_SOCKET);
  }

  /** Whether the engine at {@link #address} answers a ping, on a machine that may be busy. */
  static boolean answers() {
    return answers(address(), TIMEOUT);
  }

  static boolean answers(String engine, Duration timeout) {
    URI address;
    try {
      address = new URI(engine);
    } catch (URISyntaxException e) {
      return false;
    }
    boolean unix = "unix".equals(address.getScheme());
    try (SocketChannel channel =
        SocketChannel.open(unix ? StandardProtocolFamily.UNIX : StandardProtocolFamily.INET)) {
      FutureTask<Boolean> answer = new FutureTask<>(() -> ping(channel, socketAddress(address)));
      // Not the common pool: on two processors it is one thread, which may be blocked.
      Thread thread = new Thread(answer, "container-engine-ping");
      thread.setDaemon(true);
      thread.start();
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException | ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static SocketAddress socketAddress(URI address) {
    if ("unix".equals(address.getScheme())) {
      return UnixDomainSocketAddress.of(address.getPath());
    }
    return new InetSocketAddress(
        address.getHost(), address.getPort() < 0 ? DOCKER_PORT : address.getPort());
  }

  /** Closing the channel, as a timeout does, ends a ping that hangs. */
  private static boolean ping(SocketChannel channel, SocketAddress address) {
    try {
      channel.connect(address);
      channel.write(
          ByteBuffer.wrap(
              "GET /_ping HTTP/1.0\r\nHost: d\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
      ByteBuffer status = ByteBuffer.allocate("HTTP/1.x 200".length());
      while (status.hasRemaining() && channel.read(status) >= 0) {
        // Read on.
      }
      return new String(status.array(), StandardCharsets.US_ASCII).endsWith(" 200");
    } catch (IOException e) {
      return false;
    }
  }
}
