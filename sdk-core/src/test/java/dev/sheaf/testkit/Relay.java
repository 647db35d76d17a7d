// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A fixed address that leads to one server and then to another, or spoils what comes back: byte by
 * byte, with a wrong byte, or not at all.
 */
public final class Relay implements AutoCloseable {

  private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
  private volatile int target;
  private volatile int lost;
  private volatile int accepted;
  private volatile boolean byteByByte;
  private volatile boolean wrongBegin;
  private volatile @Nullable Random garble;

  /** Leads to a port of this machine. */
  public Relay(int target) throws IOException {
    this.target = target;
    start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Whether replies come byte by byte. */
  public void byteByByte(boolean on) {
    byteByByte = on;
  }

  /** The next reply begins with a byte that no reply begins with. */
  public void garbleNext() {
    wrongBegin = true;
  }

  /** In what is read next, one to three random bytes are replaced. */
  public void garbleNext(Random random) {
    garble = random;
  }

  /** New connections lead to another port; those that are open stay. */
  public void leadTo(int other) {
    target = other;
  }

  /** From now on nothing passes through the connections that are open; new ones work. */
  public void blackHole() {
    lost = accepted;
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket();
        try {
          server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        } catch (IOException refused) {
          client.close();
          continue;
        }
        client.setTcpNoDelay(true);
        int number = accepted + 1;
        accepted = number;
        start(() -> copy(client, server, number, false));
        start(() -> copy(server, client, number, true));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void copy(Socket from, Socket to, int number, boolean replies) {
    byte[] buffer = new byte[8_192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (number <= lost) {
          continue;
        }
        if (replies && wrongBegin) {
          wrongBegin = false;
          buffer[0] = '?';
        }
        Random random = garble;
        if (replies && random != null) {
          garble = null;
          for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
            buffer[random.nextInt(read)] = (byte) random.nextInt();
          }
        }
        if (replies && byteByByte) {
          for (int i = 0; i < read; i++) {
            out.write(buffer, i, 1);
            out.flush();
          }
        } else {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException gone) {
      // One side is gone, and so is the other.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
