// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/**
 * Prints what the server allocates for a GET and a SET, and the heap that a million keys of 100
 * bytes take, and ten thousand documents of 10 KB before and after idle compression. Run alone,
 * with a fixed heap; not a test.
 */
final class Footprint {
  private static final int KEYS = 1_000_000;
  private static final int BATCH = 1000;
  private static final int COMMANDS = 200_000;
  private static final int DOCUMENTS = 10_000;

  private Footprint() {}

  public static void main(String[] args) throws Exception {
    keysAndCommands();
    idleDocuments();
  }

  private static void idleDocuments() throws Exception {
    EmbeddedClock clock = EmbeddedClock.manual(Instant.EPOCH);
    try (EmbeddedServer server =
        EmbeddedServer.builder().clock(clock).compressIdleAfter(Duration.ofMinutes(1)).start()) {
      long empty = used();
      for (int i = 0; i < DOCUMENTS; i++) {
        byte[] document = IdleCompressionTest.document(i).getBytes(StandardCharsets.US_ASCII);
        server.data().set("doc:" + i, document);
      }
      long plain = used() - empty;
      clock.advance(Duration.ofMinutes(2));
      Await.until("all to be compressed", () -> server.idleCompression().compressed() == DOCUMENTS);
      long compressed = used() - empty;
      System.out.printf(
          "%,d documents of 10 KB: %.1f MiB, idle %.1f MiB, %.1f %%%n",
          DOCUMENTS, plain / 1048576.0, compressed / 1048576.0, 100.0 * compressed / plain);
    }
  }

  private static void keysAndCommands() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      long before = used();
      String value = "x".repeat(100);
      for (int from = 0; from < KEYS; from += BATCH) {
        StringBuilder batch = new StringBuilder();
        for (int i = from; i < from + BATCH; i++) {
          batch.append(request("SET", "key:%010d".formatted(i), value));
        }
        exchange(socket, batch.toString(), BATCH * "+OK\r\n".length());
      }
      System.out.printf("1,000,000 keys: %.1f MiB%n", (used() - before) / 1048576.0);
      String x64 = "x".repeat(64);
      exchange(socket, request("SET", "k", x64), 5);
      for (int pipeline : new int[] {1, 16}) {
        int getReply = x64.length() + 7;
        measure(server, socket, pipeline, "GET", request("GET", "k"), getReply);
        measure(server, socket, pipeline, "SET", request("SET", "k", x64), 5);
      }
    }
  }

  private static String request(String... words) {
    StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
    Arrays.stream(words)
        .forEach(w -> request.append('$').append(w.length()).append("\r\n" + w + "\r\n"));
    return request.toString();
  }

  private static void exchange(Socket socket, String requests, int replyBytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    InputStream in = socket.getInputStream();
    out.write(requests.getBytes(StandardCharsets.ISO_8859_1));
    int left = replyBytes;
    byte[] buffer = new byte[65536];
    while (left > 0) {
      left -= in.read(buffer, 0, Math.min(left, buffer.length));
    }
  }

  private static void measure(
      EmbeddedServer server, Socket socket, int pipeline, String name, String request, int reply)
      throws IOException {
    String requests = request.repeat(pipeline);
    for (int round = 0; round < 2; round++) {
      long before = allocated(server);
      for (int i = 0; i < COMMANDS; i += pipeline) {
        exchange(socket, requests, reply * pipeline);
      }
      if (round == 1) {
        double each = (double) (allocated(server) - before) / COMMANDS;
        System.out.printf("%s P=%d: %.0f bytes allocated%n", name, pipeline, each);
      }
    }
  }

  private static long allocated(EmbeddedServer server) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(server.call(() -> Thread.currentThread().getId()));
  }

  private static long used() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
