package dev.sheaf.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A client that is nothing but bytes, to load a server without the work of a real one: it writes to
 * all its connections, then reads all replies, again and again. Not thread-safe.
 */
final class RawLoad implements AutoCloseable {

  static final int CONNECTIONS = 16;

  private final List<? extends ByteChannel> channels;

  /**
   * A client.
   *
   * @param channels connections in blocking mode, whatever they lead over; closed by {@link #close}
   */
  RawLoad(List<? extends ByteChannel> channels) {
    this.channels = channels;
  }

  /** Stores what the workloads read. */
  void store() {
    try {
      ByteBuffer requests = ByteBuffer.wrap(Workload.store());
      ByteChannel channel = channels.get(0);
      // Longer than the buffers between the two can be; but the replies to it are not.
      writeAll(channel, requests);
      readAll(channel, ByteBuffer.allocate(2 * Workload.KEYS * "+OK\r\n".length()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Sends requests for some time.
   *
   * @param together how many requests are written at once to each connection
   * @return how many were answered
   * @throws ComparisonException if a reply is not what the workload expects
   */
  long runFor(long nanos, Workload workload, int together) {
    List<ByteBuffer> requests = requests(workload, together);
    ByteBuffer replies = ByteBuffer.allocateDirect(workload.replyBytes() * together);
    long end = System.nanoTime() + nanos;
    long rounds = 0;
    while (System.nanoTime() - end < 0) {
      round(requests, replies);
      rounds++;
    }
    return rounds * channels.size() * together * workload.keys();
  }

  /** As {@link #runFor}, for a number of rounds. */
  long run(int rounds, Workload workload, int together) {
    List<ByteBuffer> requests = requests(workload, together);
    ByteBuffer replies = ByteBuffer.allocateDirect(workload.replyBytes() * together);
    for (int i = 0; i < rounds; i++) {
      round(requests, replies);
    }
    return (long) rounds * channels.size() * together * workload.keys();
  }

  /** Other keys for each connection, the same all the time. */
  private List<ByteBuffer> requests(Workload workload, int together) {
    List<ByteBuffer> requests = new ArrayList<>();
    for (int i = 0; i < channels.size(); i++) {
      byte[] bytes = workload.requests(together);
      requests.add(ByteBuffer.allocateDirect(bytes.length).put(bytes));
    }
    return requests;
  }

  private void round(List<ByteBuffer> requests, ByteBuffer replies) {
    try {
      for (int i = 0; i < channels.size(); i++) {
        writeAll(channels.get(i), requests.get(i).rewind());
      }
      for (ByteChannel channel : channels) {
        readAll(channel, replies.clear());
        check(replies);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeAll(ByteChannel channel, ByteBuffer requests) throws IOException {
    while (requests.hasRemaining()) {
      channel.write(requests);
    }
  }

  private static void readAll(ByteChannel channel, ByteBuffer replies) throws IOException {
    while (replies.hasRemaining()) {
      if (channel.read(replies) < 0) {
        throw new EOFException("The server closed a connection");
      }
      if (replies.get(0) == '-') {
        throw new ComparisonException(
            "The server refused a request: "
                + java.nio.charset.StandardCharsets.US_ASCII.decode(replies.flip()));
      }
    }
  }

  /** Errors and nils are shorter than what is expected, so the last reply would not end here. */
  private static void check(ByteBuffer replies) {
    int last = replies.capacity() - 1;
    if (replies.get(last) != '\n' || replies.get(last - 1) != '\r') {
      throw new ComparisonException("A reply is not as long as it should be");
    }
  }

  @Override
  public void close() {
    for (ByteChannel channel : channels) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
