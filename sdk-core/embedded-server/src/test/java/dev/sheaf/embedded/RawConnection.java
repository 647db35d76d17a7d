// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A socket that sends commands and gives back the bytes of each whole reply. */
public final class RawConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket;
  private final InputStream in;

  public RawConnection(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  static byte[] request(List<byte[]> args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(latin("*" + args.size() + "\r\n"));
    for (byte[] arg : args) {
      out.writeBytes(latin("$" + arg.length + "\r\n"));
      out.writeBytes(arg);
      out.writeBytes(latin("\r\n"));
    }
    return out.toByteArray();
  }

  static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static List<byte[]> args(String... words) {
    List<byte[]> args = new ArrayList<>();
    for (String word : words) {
      args.add(latin(word));
    }
    return args;
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** The next reply, byte for byte, one char per byte. */
  String read() throws IOException {
    StringBuilder text = new StringBuilder();
    read(text);
    return text.toString();
  }

  String call(String... words) throws IOException {
    send(request(args(words)));
    return read();
  }

  public String call(List<byte[]> args) throws IOException {
    send(request(args));
    return read();
  }

  private void read(StringBuilder text) throws IOException {
    // Counted, as a reply may nest deeper than a thread's stack.
    for (long left = 1; left > 0; left--) {
      String line = line();
      text.append(line).append("\r\n");
      int n = "$*%~>=".indexOf(line.charAt(0)) >= 0 ? Integer.parseInt(line.substring(1)) : 0;
      switch (line.charAt(0)) {
        case '$', '=' -> {
          if (n >= 0) {
            byte[] bytes = in.readNBytes(n + 2);
            text.append(new String(bytes, StandardCharsets.ISO_8859_1));
          }
        }
        case '*', '~', '>' -> left += Math.max(0, n);
        case '%' -> left += 2L * n;
        default -> {
          // the line is all
        }
      }
    }
  }

  /** Reads arrays of one element up to their innermost, however deep it lies. */
  String readNested() throws IOException {
    StringBuilder text = new StringBuilder();
    String line;
    do {
      line = line();
      text.append(line);
    } while (line.startsWith("*1"));
    return text.toString();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("connection closed after '" + line + "'");
      }
      line.append((char) b);
    }
    in.read();
    return line.toString();
  }

  /** What the server still sends before it closes the connection. */
  String awaitEnd() throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    try {
      for (int b = in.read(); b >= 0; b = in.read()) {
        rest.write(b);
      }
    } catch (java.net.SocketException e) {
      // a reset is an end as well
    }
    return rest.toString(StandardCharsets.ISO_8859_1);
  }

  /** True when the server has closed the connection. */
  boolean isClosedByServer() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  /** The reply with the elements of its outermost aggregate sorted (pairs stay together). */
  static String sorted(String reply) {
    if (reply.isEmpty() || "*~%".indexOf(reply.charAt(0)) < 0) {
      return reply;
    }
    int[] at = {0};
    String head = head(reply, at);
    int n = Integer.parseInt(head.substring(1));
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      int from = at[0];
      skip(reply, at);
      if (head.charAt(0) == '%') {
        skip(reply, at);
      }
      elements.add(sorted(reply.substring(from, at[0])));
    }
    Collections.sort(elements);
    return head + "\r\n" + String.join("", elements);
  }

  private static String head(String reply, int[] at) {
    int end = reply.indexOf("\r\n", at[0]);
    String head = reply.substring(at[0], end);
    at[0] = end + 2;
    return head;
  }

  private static void skip(String reply, int[] at) {
    String head = head(reply, at);
    int n = "$*%~>=".indexOf(head.charAt(0)) >= 0 ? Integer.parseInt(head.substring(1)) : 0;
    switch (head.charAt(0)) {
      case '$', '=' -> at[0] += n < 0 ? 0 : n + 2;
      case '*', '~', '>' -> {
        for (int i = 0; i < n; i++) {
          skip(reply, at);
        }
      }
      case '%' -> {
        for (int i = 0; i < 2 * n; i++) {
          skip(reply, at);
        }
      }
      default -> {
        // the head is all
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
