// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LatencyProxyTest {

  private static final int MIB = 1024 * 1024;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void manyMegabytesBothWays_arriveInOrderAndUnchanged() throws Exception {
    byte[] up = randomBytes(24 * MIB, 1);
    byte[] down = randomBytes(24 * MIB, 2);
    Peer server = new Peer(exchange(down, up.length));
    LatencyProxy proxy = proxy(server, Duration.ofMillis(1));
    try (Socket client = connect(proxy)) {
      Future<?> sent = threads.submit(send(client, up));
      byte[] received = client.getInputStream().readNBytes(down.length);
      sent.get();
      assertThat(sha256(received)).isEqualTo(sha256(down));
      assertThat(sha256(server.result())).isEqualTo(sha256(up));
    }
    assertThat(proxy.stats().bytesToServer()).isEqualTo(up.length);
    assertThat(proxy.stats().bytesToClient()).isEqualTo(down.length);
    await(() -> proxy.stats().bytesInFlight() == 0);
  }

  @Test
  void delay_holdsRepliesBackToo() throws Exception {
    CountDownLatch delayed = new CountDownLatch(1);
    Peer server =
        new Peer(
            socket -> {
              byte[] request = socket.getInputStream().readNBytes(4);
              delayed.await();
              socket.getOutputStream().write(request);
              return socket.getInputStream().readAllBytes();
            });
    LatencyProxy proxy = proxy(server, Duration.ZERO);
    try (Socket client = connect(proxy)) {
      client.getOutputStream().write("ping".getBytes());
      await(() -> proxy.stats().bytesToServer() == 4);
      proxy.delay(Duration.ofHours(1));
      delayed.countDown();
      await(() -> proxy.stats().bytesInFlight() == 4);
      assertThat(proxy.stats().bytesToClient()).isZero();
    }
  }

  @Test
  void delay_ofManyPiecesUnderWay_isPaidOnce() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofHours(1));
    try (Socket client = connect(proxy)) {
      byte[] piece = new byte[100];
      for (int i = 0; i < 200; i++) {
        client.getOutputStream().write(piece);
      }
      // One after the other, the second piece would wait for the first to arrive.
      await(() -> proxy.stats().bytesInFlight() == 200 * piece.length);
    }
  }

  @Test
  void bandwidth_delaysAndLosesNothing() throws Exception {
    byte[] data = randomBytes(200_000, 5);
    LatencyProxy proxy =
        opened(
            LatencyProxy.builder()
                .target("127.0.0.1", echo().port())
                .bandwidthBitsPerSecond(1_000_000_000)
                .start());
    try (Socket client = connect(proxy)) {
      Future<?> sent = threads.submit(send(client, data));
      assertThat(client.getInputStream().readNBytes(data.length)).isEqualTo(data);
      sent.get();
    }
  }

  @Test
  void roundTrips_countTurnsNotWrites() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(1));
    try (Socket client = connect(proxy)) {
      assertThat(proxy.stats().roundTrips()).isZero();
      for (int i = 0; i < 5; i++) {
        roundTrip(client, "ping");
      }
      assertThat(proxy.stats().roundTrips()).isEqualTo(5);
      proxy.resetStats();
      roundTrip(client, "after the reset");
    }
    await(() -> proxy.stats().bytesInFlight() == 0);
    assertThat(proxy.stats()).isEqualTo(new ProxyStats(0, 15, 15, 1, 0));
  }

  @Test
  void pipelinedPieces_sentBeforeAnyReply_areOneTurn() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ZERO);
    proxy.pauseToClient(true);
    try (Socket client = connect(proxy)) {
      for (int i = 1; i <= 10; i++) {
        client.getOutputStream().write("pipe".getBytes());
        long sent = 4L * i;
        await(() -> proxy.stats().bytesToServer() == sent);
      }
      assertThat(proxy.stats().roundTrips()).isEqualTo(1);
      proxy.pauseToClient(false);
      client.getInputStream().readNBytes(40);
      roundTrip(client, "next");
      assertThat(proxy.stats().roundTrips()).isEqualTo(2);
    }
  }

  @Test
  void halfClose_passesTheEndOfStreamAfterTheData() throws Exception {
    byte[] up = randomBytes(3 * MIB, 3);
    // Replies only once the client has ended its stream.
    Peer server =
        new Peer(
            socket -> {
              byte[] all = socket.getInputStream().readAllBytes();
              socket.getOutputStream().write(sha256(all).getBytes());
              return all;
            });
    LatencyProxy proxy = proxy(server, Duration.ofMillis(2));
    try (Socket client = connect(proxy)) {
      send(client, up).call();
      client.shutdownOutput();
      assertThat(new String(client.getInputStream().readAllBytes())).isEqualTo(sha256(up));
    }
  }

  @Test
  void targetDown_resetsTheClient() throws Exception {
    int unused;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unused = socket.getLocalPort();
    }
    LatencyProxy proxy = opened(LatencyProxy.builder().target("127.0.0.1", unused).start());
    try (Socket client = connect(proxy)) {
      assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void serverReset_reachesTheClientBehindItsData() throws Exception {
    Peer server =
        new Peer(
            socket -> {
              socket.getInputStream().readNBytes(1);
              socket.getOutputStream().write("partial".getBytes());
              socket.getInputStream().readNBytes(1);
              socket.setSoLinger(true, 0);
              return new byte[0];
            });
    LatencyProxy proxy = proxy(server, Duration.ofMillis(5));
    try (Socket client = connect(proxy)) {
      client.getOutputStream().write('a');
      assertThat(new String(client.getInputStream().readNBytes(7))).isEqualTo("partial");
      client.getOutputStream().write('b');
      assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void dropConnections_endsOpenOnes_andNewOnesWork() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(1));
    try (Socket client = connect(proxy)) {
      roundTrip(client, "ping");
      proxy.dropConnections();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    try (Socket client = connect(proxy)) {
      roundTrip(client, "ping");
    }
  }

  @Test
  void resetConnections_isSeenAsReset() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(1));
    try (Socket client = connect(proxy)) {
      roundTrip(client, "ping");
      proxy.resetConnections();
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
  }

  @Test
  void blackHole_swallows_andIsLiftedByAReset() throws Exception {
    Peer server = echo();
    LatencyProxy proxy = proxy(server, Duration.ofMillis(1));
    try (Socket before = connect(proxy)) {
      roundTrip(before, "ping");
      proxy.blackHole(true);
      try (Socket during = connect(proxy)) {
        for (Socket client : List.of(before, during)) {
          client.setSoTimeout(100);
          client.getOutputStream().write("lost".getBytes());
          assertThatThrownBy(() -> client.getInputStream().read())
              .isInstanceOf(SocketTimeoutException.class);
          client.setSoTimeout(0);
        }
        assertThat(server.accepted()).isEqualTo(1);
        proxy.blackHole(false);
        for (Socket client : List.of(before, during)) {
          assertThatThrownBy(() -> client.getInputStream().read())
              .isInstanceOf(SocketException.class)
              .isNotInstanceOf(SocketTimeoutException.class);
        }
      }
    }
    try (Socket after = connect(proxy)) {
      roundTrip(after, "ping");
    }
  }

  @Test
  void refuse_refusesNewConnectionsOnly_andCanBeLifted() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(1));
    try (Socket before = connect(proxy)) {
      roundTrip(before, "ping");
      for (int i = 0; i < 5; i++) {
        proxy.refuse(true);
        assertThatThrownBy(() -> connect(proxy).close()).isInstanceOf(ConnectException.class);
        roundTrip(before, "still here");
        proxy.refuse(false);
        try (Socket after = connect(proxy)) {
          roundTrip(after, "ping");
        }
      }
    }
  }

  @Test
  void pauseToServer_keepsTheRequestAndDeliversItLater() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ZERO);
    try (Socket client = connect(proxy)) {
      proxy.pauseToServer(true);
      client.getOutputStream().write("kept".getBytes());
      await(() -> proxy.stats().bytesInFlight() == 4);
      assertThat(proxy.stats().bytesToServer()).isZero();
      proxy.pauseToServer(false);
      assertThat(new String(client.getInputStream().readNBytes(4))).isEqualTo("kept");
    }
  }

  @Test
  void pauseToClient_keepsTheReplyAndDeliversItLater() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(1));
    try (Socket client = connect(proxy)) {
      proxy.pauseToClient(true);
      client.getOutputStream().write("kept".getBytes());
      await(() -> proxy.stats().bytesToServer() == 4 && proxy.stats().bytesInFlight() == 4);
      assertThat(proxy.stats().bytesToClient()).isZero();
      proxy.pauseToClient(false);
      assertThat(new String(client.getInputStream().readNBytes(4))).isEqualTo("kept");
    }
  }

  @Test
  void cutAfterBytesToClient_deliversExactlyThatMany() throws Exception {
    byte[] reply = randomBytes(300_000, 4);
    for (int cut : new int[] {0, 1, 7, 65_536, 123_457, 300_000}) {
      Peer server =
          new Peer(
              socket -> {
                socket.getInputStream().readNBytes(1);
                socket.getOutputStream().write(reply);
                return new byte[0];
              });
      LatencyProxy proxy = proxy(server, Duration.ofMillis(1));
      proxy.cutAfterBytesToClient(cut);
      try (Socket client = connect(proxy)) {
        client.getOutputStream().write('x');
        byte[] received = client.getInputStream().readAllBytes();
        assertThat(received).isEqualTo(Arrays.copyOf(reply, cut));
        assertThat(proxy.stats().bytesToClient()).isEqualTo(cut);
      }
      await(() -> proxy.stats().bytesInFlight() == 0);
    }
  }

  @Test
  void cut_worksOnce() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(1));
    proxy.cutAfterBytesToClient(6);
    try (Socket client = connect(proxy)) {
      roundTrip(client, "ping");
      client.getOutputStream().write("ping".getBytes());
      assertThat(new String(client.getInputStream().readAllBytes())).isEqualTo("pi");
    }
    try (Socket client = connect(proxy)) {
      roundTrip(client, "ping after the cut");
    }
  }

  @Test
  void stalledClient_makesTheServerWaitAtTheBound() throws Exception {
    int bound = MIB;
    AtomicLong sent = new AtomicLong();
    Peer server =
        new Peer(
            socket -> {
              byte[] piece = new byte[64 * 1024];
              OutputStream out = socket.getOutputStream();
              while (true) {
                out.write(piece);
                sent.addAndGet(piece.length);
              }
            });
    LatencyProxy proxy =
        opened(
            LatencyProxy.builder()
                .target("127.0.0.1", server.port())
                .maxBytesInFlight(bound)
                .start());
    proxy.pauseToClient(true);
    try (Socket client = connect(proxy)) {
      await(() -> proxy.stats().bytesInFlight() >= bound);
      // What the sender can still push ends with the kernel's buffers.
      awaitStable(sent::get);
      assertThat(proxy.stats().bytesInFlight()).isLessThanOrEqualTo(bound + 64 * 1024);
      long atTheBound = sent.get();
      proxy.pauseToClient(false);
      client.getInputStream().readNBytes(4 * bound);
      await(() -> sent.get() > atTheBound);
    }
  }

  @Test
  void manyConnections_areServedSideBySide() throws Exception {
    LatencyProxy proxy = proxy(echo(), Duration.ofMillis(2));
    List<Callable<Void>> clients = new ArrayList<>();
    for (int c = 0; c < 100; c++) {
      int id = c;
      clients.add(
          () -> {
            try (Socket client = connect(proxy)) {
              for (int i = 0; i < 20; i++) {
                roundTrip(client, "client " + id + " call " + i);
              }
            }
            return null;
          });
    }
    for (Future<Void> done : threads.invokeAll(clients)) {
      done.get();
    }
    assertThat(proxy.stats().connections()).isEqualTo(100);
    assertThat(proxy.stats().roundTrips()).isEqualTo(2000);
  }

  @Test
  void close_whileBusy_endsItsThreadsAndIsIdempotent() throws Exception {
    Peer server = echo();
    LatencyProxy proxy =
        LatencyProxy.builder()
            .target("127.0.0.1", server.port())
            .oneWayDelay(Duration.ofMillis(5))
            .start();
    List<Future<Object>> busy = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Socket client = connect(proxy);
      open.add(client);
      Future<Object> writing =
          threads.submit(
              () -> {
                while (true) {
                  client.getOutputStream().write(new byte[32 * 1024]);
                }
              });
      busy.add(writing);
      threads.submit(() -> client.getInputStream().transferTo(OutputStream.nullOutputStream()));
    }
    await(() -> proxy.stats().bytesToClient() > MIB);
    proxy.close();
    proxy.close();
    for (Future<Object> writing : busy) {
      assertThatThrownBy(writing::get).hasCauseInstanceOf(IOException.class);
    }
    assertThat(proxyThreads()).isZero();
    assertThat(proxy.stats().bytesInFlight()).isZero();
    assertThatThrownBy(() -> connect(proxy).close()).isInstanceOf(ConnectException.class);
    assertThatThrownBy(() -> proxy.delay(Duration.ZERO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void badSettings_areNamed() {
    LatencyProxy.Builder builder = LatencyProxy.builder();
    assertThatThrownBy(builder::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("target");
    assertThatThrownBy(() -> builder.target("h", 0)).hasMessageContaining("0");
    assertThatThrownBy(() -> builder.listenPort(70_000)).hasMessageContaining("70000");
    assertThatThrownBy(() -> builder.oneWayDelay(Duration.ofMillis(-1)))
        .hasMessageContaining("delay");
    assertThatThrownBy(() -> builder.bandwidthBitsPerSecond(0)).hasMessageContaining("bandwidth");
    assertThatThrownBy(() -> builder.maxBytesInFlight(0)).hasMessageContaining("maxBytesInFlight");
  }

  @Test
  void listenPortTaken_isReportedAndLeavesNoThreads() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      LatencyProxy.Builder builder =
          LatencyProxy.builder().target("127.0.0.1", 1).listenPort(taken.getLocalPort());
      assertThatThrownBy(builder::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(String.valueOf(taken.getLocalPort()));
    }
    assertThat(proxyThreads()).isZero();
  }

  private static long proxyThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sheaf-latency-proxy"))
        .count();
  }

  private LatencyProxy proxy(Peer server, Duration delay) {
    return opened(
        LatencyProxy.builder().target("127.0.0.1", server.port()).oneWayDelay(delay).start());
  }

  private LatencyProxy opened(LatencyProxy proxy) {
    open.add(proxy);
    return proxy;
  }

  private static Socket connect(LatencyProxy proxy) throws IOException {
    Socket socket = new Socket("127.0.0.1", proxy.port());
    socket.setTcpNoDelay(true);
    return socket;
  }

  private static void roundTrip(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes());
    assertThat(new String(client.getInputStream().readNBytes(text.length()))).isEqualTo(text);
  }

  private static Callable<Void> send(Socket socket, byte[] data) {
    return () -> {
      socket.getOutputStream().write(data);
      return null;
    };
  }

  private static byte[] randomBytes(int count, long seed) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] data) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
  }

  private static void await(BooleanSupplier condition) {
    Await.until("the proxy", condition::getAsBoolean);
  }

  private static void awaitStable(LongSupplier value) {
    long[] last = {-1};
    int[] same = {0};
    await(
        () -> {
          long now = value.getAsLong();
          same[0] = now == last[0] ? same[0] + 1 : 0;
          last[0] = now;
          return same[0] == 100;
        });
  }

  private Peer echo() throws IOException {
    return new Peer(
        socket -> {
          InputStream in = socket.getInputStream();
          in.transferTo(socket.getOutputStream());
          return new byte[0];
        });
  }

  private Conversation exchange(byte[] down, int upLength) {
    return socket -> {
      Future<?> sent = threads.submit(send(socket, down));
      byte[] received = socket.getInputStream().readNBytes(upLength);
      sent.get();
      return received;
    };
  }

  private interface Conversation {
    byte[] with(Socket socket) throws Exception;
  }

  /** A server that holds the same conversation with each client. */
  private final class Peer {

    private final ServerSocket socket;
    private final Conversation conversation;
    private final AtomicLong accepted = new AtomicLong();
    private volatile Future<byte[]> last = new CompletableFuture<>();

    Peer(Conversation conversation) throws IOException {
      this.conversation = conversation;
      this.socket = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
      open.add(socket);
      threads.submit(
          () -> {
            while (true) {
              Socket client = socket.accept();
              open.add(client);
              client.setTcpNoDelay(true);
              accepted.incrementAndGet();
              last = threads.submit(() -> talk(client));
            }
          });
    }

    private byte[] talk(Socket client) throws Exception {
      try (client) {
        return conversation.with(client);
      }
    }

    int port() {
      return socket.getLocalPort();
    }

    long accepted() {
      return accepted.get();
    }

    byte[] result() throws Exception {
      return last.get(60, TimeUnit.SECONDS);
    }
  }
}
