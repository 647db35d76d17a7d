// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.ConnectionWatchdog;
import io.lettuce.core.protocol.Endpoint;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Lettuce may reconnect twice at once, when a handshake fails: the next attempt is scheduled by the
 * failure, and by the closing of the socket. For a while a connection has two sockets then.
 */
@Timeout(180)
class TwoSocketsTest {

  private static final Duration LATER = Duration.ofSeconds(2);

  @Test
  void writeThatAwaitsItsReplyOnTheFirst_isNotSentAgainOnTheSecond() throws Exception {
    inTwoSockets(
        sheaf -> sheaf.sync().incr("counter"),
        sheaf -> sheaf.async().incr("counter"),
        (sheaf, write) ->
            assertThatThrownBy(() -> write.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(OutcomeUnknownException.class));
  }

  /**
   * When two attempts to connect have overlapped, Lettuce can be left without a connection, with
   * the error of the failed attempt, while commands are written on the socket of the other one.
   */
  @Test
  void writeThatFindsLettuceWithoutConnection_failsWithUnknownOutcome() throws Exception {
    whereLettuceHasNoConnection(
        sheaf -> sheaf.async().incr("counter"),
        (sheaf, write) ->
            assertThatThrownBy(() -> write.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(OutcomeUnknownException.class));
  }

  @Test
  void readThatFindsLettuceWithoutConnection_isSentAgain() throws Exception {
    whereLettuceHasNoConnection(
        sheaf -> sheaf.async().get("key"),
        (sheaf, read) -> assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo("value"));
  }

  /** Outside of flights. */
  @Test
  void transactionThatFindsLettuceWithoutConnection_failsWithUnknownOutcome() throws Exception {
    whereLettuceHasNoConnection(
        sheaf -> sheaf.standalone().async().multi(),
        (sheaf, multi) ->
            assertThatThrownBy(() -> multi.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(OutcomeUnknownException.class)
                .hasRootCauseInstanceOf(SocketException.class));
  }

  private static <T> void whereLettuceHasNoConnection(
      Function<Sheaf<String, String>, RedisFuture<T>> call, Check<T> afterwards) throws Exception {
    List<Channel> sockets = new CopyOnWriteArrayList<>();
    ClientResources resources = recording(sockets);
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).clientResources(resources).connect()) {
      sheaf.sync().set("key", "value");
      Channel socket = sockets.get(sockets.size() - 1);
      Endpoint endpoint = socket.pipeline().get(CommandHandler.class).getEndpoint();
      socket
          .eventLoop()
          .submit(
              () -> {
                endpoint.notifyChannelInactive(socket);
                endpoint.notifyException(new SocketException("Connection reset"));
              })
          .sync();
      RedisFuture<T> called = call.apply(sheaf);
      afterwards.run(sheaf, called);
      socket.close().sync();
      assertThat(sheaf.async().get("key").get(10, TimeUnit.SECONDS)).isEqualTo("value");
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).sync();
    }
  }

  /** The error of a read comes after the socket was closed, and before anybody was told of that. */
  @Test
  void errorOfASocketThatIsClosed_doesNotFailTheOldestCommand() throws Exception {
    List<Channel> sockets = new CopyOnWriteArrayList<>();
    ClientResources resources = recording(sockets);
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .clientResources(resources)
                .connect()) {
      sheaf.sync().set("key", "value");
      Channel socket = sockets.get(sockets.size() - 1);
      proxy.delay(LATER);
      RedisFuture<Long> write = sheaf.async().incr("counter");
      RedisFuture<String> read = sheaf.async().get("key");
      Await.until("the commands to be under way", LATER, () -> proxy.stats().bytesInFlight() > 0);
      proxy.delay(Duration.ZERO);
      socket
          .eventLoop()
          .submit(
              () -> {
                socket.close();
                socket.pipeline().fireExceptionCaught(new SocketException("Connection reset"));
              })
          .sync();
      assertThatThrownBy(() -> write.get(10, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(OutcomeUnknownException.class);
      assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo("value");
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).sync();
    }
  }

  private static ClientResources recording(List<Channel> sockets) {
    return ClientResources.builder()
        .nettyCustomizer(
            new NettyCustomizer() {
              @Override
              public void afterChannelInitialized(Channel channel) {
                sockets.add(channel);
              }
            })
        .build();
  }

  private interface Check<T> {
    void run(Sheaf<String, String> sheaf, RedisFuture<T> underWay) throws Exception;
  }

  private static <T> void inTwoSockets(
      Consumer<Sheaf<String, String>> before,
      Function<Sheaf<String, String>, RedisFuture<T>> onTheFirst,
      Check<T> afterwards)
      throws Exception {
    List<Channel> sockets = new CopyOnWriteArrayList<>();
    ClientResources resources = recording(sockets);
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .clientResources(resources)
                // A lane would be a third socket.
                .batching(BatchingOptions.builder().maxLanes(0).build())
                .connect()) {
      before.accept(sheaf);
      int known = sockets.size();
      Channel first = sockets.get(known - 1);
      proxy.delay(LATER);
      RedisFuture<T> underWay = onTheFirst.apply(sheaf);
      Await.until("the command to be under way", LATER, () -> proxy.stats().bytesInFlight() > 0);
      proxy.delay(Duration.ZERO);
      first.pipeline().get(ConnectionWatchdog.class).run(1);
      Await.until("a second socket", LATER, () -> sockets.size() > known);
      assertThat(sheaf.async().ping().get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
      Await.until("the first socket to be closed", LATER, () -> !first.isOpen());
      // Replies belong to their commands, and the closed socket is not opened anew.
      for (int i = 0; i < 2_000; i++) {
        assertThat(sheaf.sync().echo("word " + i)).isEqualTo("word " + i);
      }
      assertThat(sockets).hasSize(known + 1);
      afterwards.run(sheaf, underWay);
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).sync();
    }
  }
}
