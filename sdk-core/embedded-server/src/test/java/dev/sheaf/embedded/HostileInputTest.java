// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.junit.EmbeddedRedis;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes no client should send, and clients that come and go: the others never notice. */
@Timeout(180)
@EmbeddedRedis(scope = EmbeddedRedis.Scope.CLASS)
class HostileInputTest {
  private static final long SEED = 20301;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*1048577\r\n",
        "*2147483648\r\n",
        "*99999999999999999999\r\n",
        "*-9223372036854775809\r\n",
        "*x\r\n",
        "*1\r\n$536870913\r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$99999999999999999999\r\n",
        "*1\r\n:1\r\n",
        "*1\r\n*1\r\n*1\r\n$4\r\nPING\r\n",
        "GET 'a\r\n",
        "GET \"a\"b\r\n"
      })
  void brokenProtocol_isAnsweredByAnErrorAndTheEnd(String bytes, EmbeddedServer server)
      throws Exception {
    try (RawConnection bad = new RawConnection(server.port())) {
      bad.send(RawConnection.latin(bytes));
      assertThat(bad.read()).startsWith("-ERR Protocol error: ");
      assertThat(bad.isClosedByServer()).isTrue();
    }
    assertAnswers(server);
  }

  /** What follows these lines would be commands; a real server closes the connection as well. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST / HTTP/1.1\r\n",
        "post / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "*1\r\n$4\r\nPOST\r\n"
      })
  void webPage_cannotRunCommands(String head, EmbeddedServer server) throws Exception {
    try (RawConnection page = new RawConnection(server.port())) {
      page.send(RawConnection.latin(head + "\r\nSET of:a:page 1\r\n"));
      assertThat(page.awaitEnd()).doesNotContain("OK");
    }
    assertThat(server.data().exists("of:a:page")).isFalse();
  }

  private static void assertAnswers(EmbeddedServer server) throws IOException {
    try (RawConnection good = new RawConnection(server.port())) {
      assertThat(good.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  /** The end of a client's input may be read together with its last commands. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void clientThatHasSentItsLast_getsItsReplies(boolean epoll) throws Exception {
    Assumptions.assumeTrue(!epoll || Epoll.isAvailable(), "no epoll here");
    EmbeddedServerBuilder builder = EmbeddedServer.builder();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    try (EmbeddedServer server = (epoll ? builder.epoll() : builder).start();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write(RawConnection.latin("PING\r\n"));
      assertThat(socket.getInputStream().readNBytes(7)).asString().isEqualTo("+PONG\r\n");
      CompletableFuture<Boolean> thread =
          CompletableFuture.supplyAsync(
              () ->
                  server.call(
                      () -> {
                        held.countDown();
                        return sent.await(30, TimeUnit.SECONDS);
                      }));
      assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
      socket.getOutputStream().write(RawConnection.latin("SET k v\r\nGET k\r\n"));
      socket.shutdownOutput();
      sent.countDown();
      assertThat(socket.getInputStream().readAllBytes()).asString().isEqualTo("+OK\r\n$1\r\nv\r\n");
      assertThat(thread.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void endlessLine_isRefusedAtItsLimit(EmbeddedServer server) throws Exception {
    try (RawConnection bad = new RawConnection(server.port())) {
      bad.send(RawConnection.latin("x".repeat(70_000)));
      assertThat(bad.read()).contains("too big inline request");
      assertThat(bad.isClosedByServer()).isTrue();
    }
  }

  @Test
  void hugeLengthsThatNeverCome_costNothing(EmbeddedServer server) throws Exception {
    List<RawConnection> waiting = new ArrayList<>();
    try {
      long before = usedMemory();
      for (int i = 0; i < 100; i++) {
        RawConnection raw = new RawConnection(server.port());
        waiting.add(raw);
        raw.send(RawConnection.latin("*1000000\r\n$536870912\r\nabc"));
      }
      assertAnswers(server);
      assertThat(usedMemory() - before).isLessThan(64L << 20);
    } finally {
      for (RawConnection raw : waiting) {
        raw.close();
      }
    }
    awaitClients(server, 1);
  }

  private static long usedMemory() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static void awaitClients(EmbeddedServer server, int wanted) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      Await.until(
          wanted + " client is left",
          () -> raw.call("INFO", "clients").contains("connected_clients:" + wanted + "\r\n"));
    }
  }

  @Test
  void garbage_neverReachesAnotherClient(EmbeddedServer server) throws Exception {
    CompletableFuture<Void> honest = CompletableFuture.runAsync(() -> echo(server, "honest"));
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> echo(server, "other"));
    Random random = new Random(SEED);
    for (int i = 0; i < 600; i++) {
      byte[] garbage = new byte[random.nextInt(200) + 1];
      random.nextBytes(garbage);
      if (i % 3 == 0) {
        byte[] head = RawConnection.latin("*3\r\n$3\r\nSET\r\n$" + random.nextInt(50) + "\r\n");
        System.arraycopy(head, 0, garbage, 0, Math.min(head.length, garbage.length));
      }
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
        socket.getOutputStream().write(garbage);
        if (i % 2 == 0) {
          socket.setSoLinger(true, 0);
        }
      } catch (SocketException e) {
        // the server was faster in closing
      }
    }
    honest.get(40, TimeUnit.SECONDS);
    other.get(40, TimeUnit.SECONDS);
    awaitClients(server, 1);
  }

  private static void echo(EmbeddedServer server, String name) {
    try (RawConnection raw = new RawConnection(server.port())) {
      for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 50; i++) {
          raw.send(RawConnection.request(RawConnection.args("ECHO", name + round + "-" + i)));
        }
        for (int i = 0; i < 50; i++) {
          assertThat(raw.read()).contains("\r\n" + name + round + "-" + i + "\r\n");
        }
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void subscriberThatDoesNotRead_isClosedAtItsLimit(EmbeddedServer server) throws Exception {
    try (RawConnection slow = new RawConnection(server.port());
        RawConnection publisher = new RawConnection(server.port())) {
      slow.call("SUBSCRIBE", "c");
      String message = "x".repeat(1 << 20);
      String receivers = ":1\r\n";
      for (int i = 0; i < 100 && receivers.equals(":1\r\n"); i++) {
        receivers = publisher.call("PUBLISH", "c", message);
      }
      assertThat(receivers).isEqualTo(":0\r\n");
    }
  }

  @Test
  void deepJsonInsideAScript_isBounded(EmbeddedServer server) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      String nested = "[".repeat(5000) + "]".repeat(5000);
      assertThat(raw.call("EVAL", "return cjson.decode(ARGV[1])", "0", nested)).startsWith("-ERR");
      assertThat(raw.call("PING")).isEqualTo("+PONG\r\n");
    }
  }
}
