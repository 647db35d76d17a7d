package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server in another process that can be reached over TCP and over a Unix socket. */
final class MeasuredServer implements AutoCloseable {

  /**
   * How a client reaches a server in another process. A way that leads elsewhere is a {@link
   * java.nio.channels.ByteChannel} for {@link RawLoad}.
   */
  enum Transport {
    TCP("TCP"),
    UNIX_SOCKET("Unix socket");

    private final String title;

    Transport(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  private static final String SOCKET = "server.sock";

  private final long pid;
  private final int port;
  private final Path socket;
  private final AutoCloseable process;

  private MeasuredServer(long pid, int port, Path socket, AutoCloseable process) {
    this.pid = pid;
    this.port = port;
    this.socket = socket;
    this.process = process;
  }

  /**
   * Starts a redis-server.
   *
   * @param prefix a command that runs it, such as valgrind's; empty for none
   */
  static MeasuredServer redis(List<String> prefix) {
    // One tick a second, so that little but requests is counted.
    RedisProcess redis = RedisProcess.start(prefix, List.of("--unixsocket", SOCKET, "--hz", "1"));
    return new MeasuredServer(
        redis.handle().pid(), redis.port(), redis.directory().resolve(SOCKET), redis);
  }

  /** Starts an embedded server in a JVM of its own. */
  static MeasuredServer embedded() {
    Path socket;
    try {
      socket = Files.createTempDirectory("sheaf-benchmark").resolve(SOCKET);
    } catch (IOException e) {
      throw new ComparisonException("Cannot start an embedded server: " + e.getMessage(), e);
    }
    ChildJvm jvm =
        ChildJvm.start(
            ChildJvm.ownHome(),
            EmbeddedProcess.class,
            List.of(socket.toString()),
            ProcessBuilder.Redirect.INHERIT);
    String port = jvm.read();
    if (port == null) {
      jvm.close();
      throw new ComparisonException("The embedded server did not start");
    }
    return new MeasuredServer(
        jvm.pid(),
        Integer.parseInt(port),
        socket,
        () -> {
          jvm.close();
          Files.deleteIfExists(socket);
          Files.delete(socket.getParent());
        });
  }

  long pid() {
    return pid;
  }

  RawLoad connect(Transport transport) {
    List<SocketChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < RawLoad.CONNECTIONS; i++) {
        channels.add(transport == Transport.TCP ? tcp() : unix());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RawLoad(channels);
  }

  private SocketChannel tcp() throws IOException {
    SocketAddress address = new InetSocketAddress("127.0.0.1", port);
    SocketChannel channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return channel;
  }

  private SocketChannel unix() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(socket));
    return channel;
  }

  @Override
  public void close() {
    try {
      process.close();
    } catch (Exception e) {
      throw new ComparisonException("A server could not be stopped: " + e.getMessage(), e);
    }
  }
}
