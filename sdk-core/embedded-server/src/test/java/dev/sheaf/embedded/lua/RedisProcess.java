package dev.sheaf.embedded.lua;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A redis-server of its own on a free loopback port, and one connection to it. */
final class RedisProcess implements AutoCloseable {

  private final Process process;
  private final Path directory;
  private final Socket socket;
  private final InputStream in;

  private RedisProcess(Process process, Path directory, Socket socket) throws IOException {
    this.process = process;
    this.directory = directory;
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /** Returns null, after saying why, if there is no redis-server 7.0 on the path. */
  static @Nullable RedisProcess startIfInstalled() throws Exception {
    String version;
    try {
      Process asked = new ProcessBuilder("redis-server", "--version").start();
      version = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      System.out.println("Skipped: no redis-server on the path (" + e.getMessage() + ")");
      return null;
    }
    if (!version.contains("v=7.0.")) {
      System.out.println("Skipped: compares with redis-server 7.0, found: " + version.trim());
      return null;
    }
    return start();
  }

  private static RedisProcess start() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Path directory = Files.createTempDirectory("sheaf-redis");
    Process process =
        new ProcessBuilder(
                "redis-server",
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                directory.toString(),
                "--logfile",
                directory.resolve("log").toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (true) {
      try {
        return new RedisProcess(process, directory, new Socket("127.0.0.1", port));
      } catch (IOException e) {
        if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
          process.destroyForcibly();
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  /** Sends a command and returns the reply's bytes as they came. */
  byte[] call(byte[]... words) {
    try {
      ByteArrayOutputStream command = new ByteArrayOutputStream();
      command.writeBytes(TinyHost.bytes("*" + words.length + "\r\n"));
      for (byte[] word : words) {
        command.writeBytes(TinyHost.bytes("$" + word.length + "\r\n"));
        command.writeBytes(word);
        command.writeBytes(TinyHost.bytes("\r\n"));
      }
      OutputStream out = socket.getOutputStream();
      out.write(command.toByteArray());
      ByteArrayOutputStream reply = new ByteArrayOutputStream();
      readReply(reply);
      return reply.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readReply(ByteArrayOutputStream reply) throws IOException {
    // Counted, as a reply may nest deeper than a thread's stack.
    for (long left = 1; left > 0; left--) {
      String line = readLine(reply);
      long size = "$*%~=".indexOf(line.charAt(0)) < 0 ? 0 : Long.parseLong(line.substring(1));
      switch (line.charAt(0)) {
        case '*', '~' -> left += Math.max(0, size);
        case '%' -> left += 2 * size;
        case '$', '=' -> {
          if (size >= 0) {
            reply.writeBytes(in.readNBytes((int) size + 2));
          }
        }
        default -> {}
      }
    }
  }

  private String readLine(ByteArrayOutputStream copy) throws IOException {
    StringBuilder line = new StringBuilder();
    int b;
    while ((b = in.read()) != '\n') {
      if (b < 0) {
        throw new EOFException("the server ended the connection");
      }
      copy.write(b);
      if (b != '\r') {
        line.append((char) b);
      }
    }
    copy.write('\n');
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Files.deleteIfExists(directory.resolve("log"));
    Files.deleteIfExists(directory);
  }
}
