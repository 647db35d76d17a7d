// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A blocking connection that knows just enough RESP2 to administer a server. It shares no code with
 * the client under test. Not thread-safe.
 */
public final class RespConnection implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Socket socket;
  private final InputStream in;

  private RespConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * Connects; connecting and each later reply may take five seconds.
   *
   * @throws UncheckedIOException if there is no connection to be had
   */
  public static RespConnection open(String host, int port) {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.connect(new InetSocketAddress(host, port), (int) TIMEOUT.toMillis());
      return new RespConnection(socket);
    } catch (IOException e) {
      closeQuietly(socket);
      throw new UncheckedIOException("no connection to " + host + ":" + port, e);
    }
  }

  /**
   * Sends a command and reads its reply: a {@code String}, {@code Long}, {@code List} of these, or
   * null.
   *
   * @throws ErrorReply if the server answers with an error
   * @throws UncheckedIOException if the connection breaks or the reply is late
   */
  public @Nullable Object call(String... command) {
    try {
      socket.getOutputStream().write(encode(command));
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "no reply to " + String.join(" ", command) + " from " + socket, e);
    }
  }

  /** As {@link #call}, for replies that are a string. */
  public String text(String... command) {
    Object reply = call(command);
    if (reply instanceof String text) {
      return text;
    }
    throw new IllegalStateException(
        "expected a string in reply to " + String.join(" ", command) + ", got " + reply);
  }

  /** As {@link #call}, for replies that are an array. */
  public List<?> list(String... command) {
    Object reply = call(command);
    if (reply instanceof List<?> list) {
      return list;
    }
    throw new IllegalStateException(
        "expected an array in reply to " + String.join(" ", command) + ", got " + reply);
  }

  @Override
  public void close() {
    closeQuietly(socket);
  }

  private static byte[] encode(String... command) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(ascii("*" + command.length + "\r\n"));
    for (String argument : command) {
      byte[] bytes = argument.getBytes(StandardCharsets.UTF_8);
      out.writeBytes(ascii("$" + bytes.length + "\r\n"));
      out.writeBytes(bytes);
      out.writeBytes(ascii("\r\n"));
    }
    return out.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private @Nullable Object read() throws IOException {
    String line = readLine();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new ErrorReply(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> readBulk(Integer.parseInt(rest));
      case '*' -> readArray(Integer.parseInt(rest));
      default -> throw new IOException("not a RESP2 reply: " + line);
    };
  }

  private @Nullable String readBulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2) {
      throw new EOFException("connection closed inside a reply");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private @Nullable List<?> readArray(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      elements.add(read());
    }
    return Collections.unmodifiableList(elements);
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("connection closed");
      }
      line.write(b);
    }
    in.read(); // the line feed
    if (line.size() == 0) {
      throw new IOException("not a RESP2 reply: an empty line");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      // Nothing depends on how an administration connection ends.
    }
  }

  /** An error the server sent as its reply. */
  public static final class ErrorReply extends RuntimeException {
    private ErrorReply(String message) {
      super(message);
    }
  }
}
