// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A proxy before a server that knows RESP2 and some commands, as those of Envoy and Twemproxy do;
 * others it answers with an error, and sends no further. Thread-safe.
 */
public final class CommandProxy implements AutoCloseable {

  private final ServerSocket listening;
  private final int target;
  private final Predicate<String> known;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  private CommandProxy(ServerSocket listening, int target, Predicate<String> known) {
    this.listening = listening;
    this.target = target;
    this.known = known;
  }

  /**
   * Starts one on a free port of the loopback interface.
   *
   * @param target port of the server
   * @param known whether it knows a command, whose name is given in lower case
   */
  public static CommandProxy before(int target, Predicate<String> known) {
    try {
      ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      CommandProxy proxy = new CommandProxy(listening, target, known);
      daemon(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String uri() {
    return "redis://127.0.0.1:" + listening.getLocalPort();
  }

  /** The commands that it was sent and did not know, in lower case. */
  public Set<String> refused() {
    return Set.copyOf(refused);
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "command-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        sockets.add(client);
        daemon(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      sockets.add(server);
      InputStream requests = new BufferedInputStream(client.getInputStream());
      InputStream replies = new BufferedInputStream(server.getInputStream());
      OutputStream toServer = new BufferedOutputStream(server.getOutputStream());
      OutputStream toClient = client.getOutputStream();
      while (true) {
        List<byte[]> command = command(requests);
        String name = new String(command.get(0), StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        if (known.test(name)) {
          send(command, toServer);
          BufferedOutputStream reply = new BufferedOutputStream(toClient);
          copyReply(replies, reply);
          reply.flush();
        } else {
          refused.add(name);
          toClient.write(ascii("-ERR unknown command '" + name + "'\r\n"));
        }
      }
    } catch (IOException closed) {
      // By either side; the socket of the other is closed with it.
    }
  }

  private static List<byte[]> command(InputStream in) throws IOException {
    int count = Integer.parseInt(line(in).substring(1));
    List<byte[]> command = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = Integer.parseInt(line(in).substring(1));
      command.add(bytes(in, length));
      bytes(in, 2);
    }
    return command;
  }

  private static void send(List<byte[]> command, OutputStream out) throws IOException {
    out.write(ascii("*" + command.size() + "\r\n"));
    for (byte[] argument : command) {
      out.write(ascii("$" + argument.length + "\r\n"));
      out.write(argument);
      out.write(ascii("\r\n"));
    }
    out.flush();
  }

  private static void copyReply(InputStream in, OutputStream out) throws IOException {
    String line = line(in);
    out.write(ascii(line + "\r\n"));
    switch (line.charAt(0)) {
      case '$' -> {
        int length = Integer.parseInt(line.substring(1));
        if (length >= 0) {
          out.write(bytes(in, length + 2));
        }
      }
      case '*' -> {
        for (int i = Integer.parseInt(line.substring(1)); i > 0; i--) {
          copyReply(in, out);
        }
      }
      case '+', '-', ':' -> {}
      default -> throw new IOException("not a reply of RESP2: " + line);
    }
  }

  private static byte[] bytes(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      line.append((char) next);
    }
    bytes(in, 1);
    return line.toString();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
