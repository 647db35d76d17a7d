// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.codec.RedisCodec;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counters of writes, by which loops see whether this client has written a key since they read it
 * ahead.
 *
 * <p>Keys share {@value #CELLS} counters by their hash. A loop records the counter of each key
 * before it requests the value, and returns the value only if the counter is unchanged. A write
 * increments the counter of its key, or the common one. Keys that share a counter sometimes cost a
 * round trip, never a stale value. A write costs the same for any number of loops, and a loop that
 * is abandoned leaves nothing behind.
 *
 * <p>A write increments its counter before it is queued and again after: a value requested between
 * the two is ahead of the write in the queue, and stale. With several connections to a server, a
 * value requested on another one may be stale too. So a write increments its counter once more when
 * it ends, before its caller knows.
 *
 * <p>Shared by all node connections of a client. Thread-safe. While no loop holds values, a write
 * costs two volatile reads.
 */
public final class WriteClock {

  /** The number of counters: 16 KiB. A full window shares counters with 6 % of all keys. */
  private static final int CELLS = 4_096;

  /** The number of counters of claims: 1 KiB, several times the threads that read at once. */
  private static final int THREADS = 256;

  /** In place of a cell: the command writes no key. */
  public static final int NOTHING = -1;

  /** In place of a cell: the command may write any key. */
  static final int EVERYTHING = -2;

  private static final int NOT_LOOKED_AT = -3;

  /** The index of the options of SET, after the name, the key and the value. */
  private static final int SET_OPTIONS = 3;

  /** The options that make a SET depend on the present value, or return it. */
  private static final List<String> CONDITIONS =
      List.of("NX", "XX", "GET", "IFEQ", "IFNE", "IFDEQ", "IFDNE");

  private final AtomicInteger readers = new AtomicInteger();
  private final AtomicInteger common = new AtomicInteger();
  private final AtomicIntegerArray cells = new AtomicIntegerArray(CELLS);

  /** By the id of the thread; threads may share one. */
  private final AtomicIntegerArray claims = new AtomicIntegerArray(THREADS);

  /** Called when a loop is about to read ahead. */
  public void join() {
    readers.incrementAndGet();
  }

  /** Called when a loop no longer holds values. */
  public void leave() {
    readers.decrementAndGet();
  }

  /** How many loops may hold values. */
  public int readers() {
    return readers.get();
  }

  /** The cell of an encoded key. */
  public static int cell(byte[] bytes, int from, int to) {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    // Keys often differ only in their last digits, which the multiplication keeps in low bits.
    return (hash ^ hash >>> 16) & CELLS - 1;
  }

  /**
   * The cell of a key.
   *
   * @throws RuntimeException if the codec throws one
   */
  public static <K> int cellOf(RedisCodec<K, ?> codec, K key) {
    byte[] encoded = RequestEncoder.encodeKey(codec, key);
    return cell(encoded, 0, encoded.length);
  }

  /** The cell of the first argument of a command, which must be a key. */
  public static int cellOfFirstArgument(EncodedCommand<?, ?, ?> command) {
    byte[] request = command.request();
    int frame = RespRequest.frameEnd(request, RespRequest.firstFrame(request));
    int end = frame < request.length ? RespRequest.frameEnd(request, frame) : Integer.MAX_VALUE;
    return end <= request.length
        ? cell(request, RespRequest.contentStart(request, frame), end - 2)
        : EVERYTHING;
  }

  /** The cell of the key that a command may write; the common one unless it is a single key. */
  static int writtenBy(EncodedCommand<?, ?, ?> command) {
    CommandTraits traits = command.traits();
    if (command.isFusible() || traits.writesNothing()) {
      return NOTHING;
    }
    if (traits.writesAny() || traits.writesUnnamed()) {
      return EVERYTHING;
    }
    return traits.isOfFirstArgument() ? cellOfFirstArgument(command) : cellOfWrittenKeys(command);
  }

  private static int cellOfWrittenKeys(EncodedCommand<?, ?, ?> command) {
    RespRequest request = new RespRequest(command.request());
    int[] cell = {NOTHING};
    command
        .traits()
        .forEachKey(
            request,
            (index, written) -> {
              if (written) {
                int of = cell(request.bytes(), request.start(index), request.end(index));
                cell[0] = cell[0] == NOTHING ? of : EVERYTHING;
              }
            });
    return cell[0];
  }

  /** Whether its reply may give its caller a lock or the like, as with SET NX. */
  private static boolean mayClaim(EncodedCommand<?, ?, ?> command) {
    CommandTraits traits = command.traits();
    return traits.isBlocking()
        || traits.mayClaim()
        || (traits.name().equals("SET") && isConditional(new RespRequest(command.request())));
  }

  private static boolean isConditional(RespRequest set) {
    for (int i = SET_OPTIONS; i < set.count(); i++) {
      int option = i;
      if (CONDITIONS.stream().anyMatch(condition -> set.is(option, condition))) {
        return true;
      }
    }
    return false;
  }

  public int reading(int cell) {
    return cells.get(cell);
  }

  public int commonReading() {
    return common.get();
  }

  /**
   * How often this thread has sent commands that may have given it a lock or the like, such as
   * {@code SET NX} and BLPOP. Values read ahead before may be older than the lock.
   */
  public int claimReading() {
    return claims.get(claimCell());
  }

  private static int claimCell() {
    return (int) Thread.currentThread().getId() & THREADS - 1;
  }

  private void claimed() {
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      common.incrementAndGet(); // It was held back, and by which thread is not known.
    } else {
      claims.incrementAndGet(claimCell());
    }
  }

  /** Invalidates values read ahead for the keys of this cell. */
  public void advance(int cell) {
    cells.incrementAndGet(cell);
  }

  /**
   * Called with linked commands before they are queued.
   *
   * @return the argument of {@link #afterQueueing}
   */
  public int beforeQueueing(EncodedCommand<?, ?, ?> first, EncodedCommand<?, ?, ?> last) {
    if (readers.get() == 0) {
      return NOT_LOOKED_AT;
    }
    int written = writtenBy(first);
    boolean claims = mayClaim(first);
    for (EncodedCommand<?, ?, ?> command = first;
        command != last && !(written == EVERYTHING && claims); ) {
      command = command.next();
      if (command == null) {
        break;
      }
      claims |= mayClaim(command);
      int alsoWritten = writtenBy(command);
      if (alsoWritten != NOTHING) {
        written = written == NOTHING || written == alsoWritten ? alsoWritten : EVERYTHING;
      }
    }
    if (claims) {
      claimed();
    }
    advanceFor(written);
    return written;
  }

  /** Called when the commands have been queued. The queue owns their links from now on. */
  public void afterQueueing(
      int written, EncodedCommand<?, ?, ?> first, EncodedCommand<?, ?, ?> last) {
    if (readers.get() == 0) {
      return;
    }
    if (written != NOT_LOOKED_AT) {
      advanceFor(written);
    } else {
      advanceFor(first == last ? writtenBy(first) : EVERYTHING);
    }
  }

  /** Called when a write has ended: values requested meanwhile elsewhere may be stale. */
  public void ended(EncodedCommand<?, ?, ?> command) {
    if (readers.get() != 0) {
      advanceFor(writtenBy(command));
    }
  }

  private void advanceFor(int written) {
    if (written == EVERYTHING) {
      common.incrementAndGet();
    } else if (written != NOTHING) {
      advance(written);
    }
  }
}
