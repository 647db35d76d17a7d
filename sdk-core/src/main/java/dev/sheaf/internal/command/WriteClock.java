// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.codec.RedisCodec;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Tells loops whether a key that they have read ahead was written by this client since.
 *
 * <p>Keys share {@value #CELLS} counters by their hash. A loop notes the counter of each key before
 * it asks for the value, and hands the value out only if the counter still stands there; a write
 * moves the counter of its key, or the common one. Two keys that share a counter cost a round trip
 * now and then, never a stale value. So a write costs the same however many loops there are, and
 * nothing is kept for a loop that ends without a word.
 *
 * <p>A write moves its counter before it enters the queue and again after: what a loop asked for
 * between the two stands before the write in the queue, and is stale. Where a server has several
 * connections, what was asked for on another one may be as stale, and so a write moves its counter
 * once more when it ends, before its caller knows.
 *
 * <p>Shared by all node connections of a client. Thread-safe. While no loop holds values, a write
 * costs two volatile reads.
 */
public final class WriteClock {

  /** How many counters there are: 16 KiB, and a full window shares one with 6 % of all keys. */
  private static final int CELLS = 4_096;

  /** How many counters of claims there are: 1 KiB, several times the threads that read at once. */
  private static final int THREADS = 256;

  /** Stands for the cell of a command that writes no key. */
  public static final int NOTHING = -1;

  /** Stands for the cell of a command that may write any key. */
  static final int EVERYTHING = -2;

  private static final int NOT_LOOKED_AT = -3;

  /** Where the options of SET begin: behind its name, the key and the value. */
  private static final int SET_OPTIONS = 3;

  /** What makes a SET depend on what is there, or tell it. */
  private static final List<String> CONDITIONS =
      List.of("NX", "XX", "GET", "IFEQ", "IFNE", "IFDEQ", "IFDNE");

  private final AtomicInteger readers = new AtomicInteger();
  private final AtomicInteger common = new AtomicInteger();
  private final AtomicIntegerArray cells = new AtomicIntegerArray(CELLS);

  /** By the id of the thread, which may share one with others. */
  private final AtomicIntegerArray claims = new AtomicIntegerArray(THREADS);

  /** A loop is about to read ahead. */
  public void join() {
    readers.incrementAndGet();
  }

  /** A loop that had joined holds no values any more. */
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
    // Keys often differ in their last digits alone, which the multiplication keeps in low bits.
    return (hash ^ hash >>> 16) & CELLS - 1;
  }

  /**
   * The cell of a key.
   *
   * @throws RuntimeException whatever the codec throws
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

  /** The cell of what a command may write; everything if that is not one key. */
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

  /** Whether its reply may make its caller the owner of something, as that of SET NX does. */
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
   * How often this thread has sent what may have made it the owner of something, as {@code SET NX}
   * and BLPOP do. What it read ahead before may be older than what it owns now.
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

  /** Values read ahead for the keys of this cell are void. */
  public void advance(int cell) {
    cells.incrementAndGet(cell);
  }

  /**
   * Called with commands linked to each other, before they enter the queue.
   *
   * @return what to give to {@link #afterQueueing}
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

  /** Called when the commands are in the queue. From here on their links are not theirs. */
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

  /** A write has ended: what was asked for meanwhile, on another connection, may be stale. */
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
