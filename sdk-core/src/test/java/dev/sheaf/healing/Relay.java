package dev.sheaf.healing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A way to a server that spoils what comes back: byte by byte, or with a wrong byte. */
final class Relay implements AutoCloseable {

  private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
  private final int target;
  private volatile boolean byteByByte;
  private volatile boolean garbleNext;

  Relay(int target) throws IOException {
    this.target = target;
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void byteByByte(boolean on) {
    byteByByte = on;
  }

  /** The next reply begins with a byte that no reply begins with. */
  void garbleNext() {
    garbleNext = true;
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
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        start(() -> copy(client, server, false));
        start(() -> copy(server, client, true));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void copy(Socket from, Socket to, boolean replies) {
    byte[] buffer = new byte[8_192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (replies && garbleNext) {
          garbleNext = false;
          buffer[0] = '?';
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
