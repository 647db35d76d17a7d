// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One connection is dead without a word, as behind a firewall that forgot it; new ones are not. */
@Timeout(180)
class HalfDeadConnectionTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  @Test
  void guardConnectionThatFellSilent_isReplaced() throws IOException {
    try (Peer peer = new Peer();
        Sheaf<String, String> sheaf =
            Sheaf.builder(peer.uri()).availability(AvailabilityOptions.defaults()).connect()) {
      List<AvailabilityState> states = new CopyOnWriteArrayList<>();
      Availability<String> patient = sheaf.availability().withTimeout(SOON);
      assertThat(patient.ping()).isPositive();
      sheaf
          .availability()
          .onChange(
              change -> {
                if (change.node() == null) {
                  states.add(change.after().state());
                }
              });
      peer.muteThosePinged();
      Await.until("DOWN and UP", SOON, () -> states.size() >= 2);
      assertThat(states.subList(0, 2))
          .containsExactly(AvailabilityState.DOWN, AvailabilityState.UP);
      assertThat(patient.ping()).isPositive();
      assertThat(sheaf.sync().ping()).isEqualTo("PONG");
    }
  }

  /** As in a cold process, in which a new connection takes longer than a caller waits. */
  @Test
  void guardThatStillConnects_letsTheDataConnectionCount() throws IOException {
    try (Peer peer = new Peer();
        Sheaf<String, String> sheaf = Sheaf.connect(peer.uri())) {
      peer.muteNewOnes();
      // The handshake of the data connection is older than this.
      Availability<String> exact = sheaf.availability().withMaxAge(Duration.ofNanos(1));
      assertThat(exact.isAvailable()).isTrue();
      assertThat(exact.isAvailable("key")).isTrue();
      assertThat(exact.withMaxAge(Duration.ZERO).isAvailable()).as("a new answer").isFalse();
      assertThat(sheaf.availability().status().state()).isEqualTo(AvailabilityState.UP);
      assertThat(sheaf.availability().status().reason())
          .contains("no PING was answered yet", "the data connection counts");
      peer.muteAll();
      sheaf.async().echo("unanswered");
      Await.until("no", SOON, () -> !exact.isAvailable());
    }
  }

  /** A server that knows PING and the handshake, and can fall silent on some connections. */
  private static final class Peer implements AutoCloseable {

    private static final String HELLO =
        "%3\r\n$5\r\nproto\r\n:3\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n";

    private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Socket> pinged = ConcurrentHashMap.newKeySet();
    private final Set<Socket> mute = ConcurrentHashMap.newKeySet();
    private volatile boolean mutesNewOnes;

    Peer() throws IOException {
      start(this::accept);
    }

    String uri() {
      return "redis://127.0.0.1:" + listener.getLocalPort();
    }

    /** From now on new connections are accepted, and have no answer. */
    void muteNewOnes() {
      mutesNewOnes = true;
    }

    void muteAll() {
      mute.addAll(open);
    }

    void muteThosePinged() {
      mute.addAll(pinged);
    }

    private static void start(Runnable work) {
      Thread thread = new Thread(work, "peer");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket socket = listener.accept();
          open.add(socket);
          if (mutesNewOnes) {
            mute.add(socket);
          }
          start(() -> serve(socket));
        }
      } catch (IOException closed) {
        // The test is over.
      }
    }

    private void serve(Socket socket) {
      try (socket) {
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        OutputStream out = socket.getOutputStream();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          int words = Integer.parseInt(line.substring(1));
          String command = "";
          for (int i = 0; i < words; i++) {
            in.readLine();
            String word = in.readLine();
            command = i == 0 ? word.toUpperCase(Locale.ROOT) : command;
          }
          if (command.equals("PING")) {
            pinged.add(socket);
          }
          if (!mute.contains(socket)) {
            out.write(reply(command).getBytes(StandardCharsets.UTF_8));
          }
        }
      } catch (IOException closed) {
        // By the client, or because the test is over.
      }
    }

    private static String reply(String command) {
      return switch (command) {
        case "HELLO" -> HELLO;
        case "PING" -> "+PONG\r\n";
        default -> "+OK\r\n";
      };
    }

    @Override
    public void close() throws IOException {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    }
  }
}
