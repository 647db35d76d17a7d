// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import dev.sheaf.benchmarks.rivals.Rival;
import dev.sheaf.benchmarks.servers.Dataset;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An operation that threads repeat. Keys are drawn at random for each operation with equal
 * probability, and every value is compared with the stored one as a whole.
 */
public enum Work {
  /** A blocking GET. */
  GET("ops/s", rival -> get(Dataset.SMALL, rival)),
  /** A blocking SET of the value that is stored. */
  SET("ops/s", rival -> set(Dataset.SMALL, rival)),
  /** A blocking GET of 1 MB. */
  GET_LARGE("ops/s", rival -> get(Dataset.LARGE, rival)),
  /** A page with the client's multi-key call. */
  GET_ALL("us", rival -> new Page(rival, Rival::getAll, 0)),
  /** A page with one future per key. */
  GET_EACH("us", rival -> new Page(rival, Rival::getEach, 0)),
  /** A page with a loop of GETs. */
  LOOP("us", rival -> new Page(rival, Rival::loop, 0)),
  /** A loop whose body makes two GETs, the second of a key that the first value names. */
  LOOP_OF_TWO("us", rival -> new Page(rival, Rival::loopOfTwo, 1)),
  /** A PING. */
  PING("ops/s", rival -> rival::ping),
  /** Blocking GETs on a schedule, at a share of the client's capacity. */
  OPEN("p99 us", GET.task);

  private final String unit;
  private final Function<Rival, Runnable> task;

  Work(String unit, Function<Rival, Runnable> task) {
    this.unit = unit;
    this.task = task;
  }

  /** Returns the unit of the score. */
  String unit() {
    return unit;
  }

  /** Returns whether scores are rates; otherwise they are times. */
  boolean isRate() {
    return unit.equals("ops/s");
  }

  /** The repeated operation of one thread. */
  public Runnable by(Rival rival) {
    return task.apply(rival);
  }

  private static Runnable get(Dataset data, Rival rival) {
    return () -> {
      int index = data.randomIndex();
      data.check(index, rival.get(data.key(index)));
    };
  }

  private static Runnable set(Dataset data, Rival rival) {
    return () -> {
      int index = data.randomIndex();
      rival.set(data.key(index), data.value(index));
    };
  }

  /** Reads 100 different keys. */
  private static final class Page implements Runnable {

    private static final int KEYS = 100;

    private final Rival rival;
    private final BiFunction<Rival, String[], @Nullable String[]> read;
    private final int steps;
    private final int[] indexes = IntStream.range(0, Dataset.SMALL.keys()).toArray();

    Page(Rival rival, BiFunction<Rival, String[], @Nullable String[]> read, int steps) {
      this.rival = rival;
      this.read = read;
      this.steps = steps;
    }

    @Override
    public void run() {
      String[] keys = new String[KEYS];
      for (int i = 0; i < KEYS; i++) {
        swap(i, ThreadLocalRandom.current().nextInt(i, indexes.length));
        keys[i] = Dataset.SMALL.key(indexes[i]);
      }
      @Nullable String[] values = read.apply(rival, keys);
      if (values.length != KEYS) {
        throw new IllegalStateException("Read " + values.length + " values for " + KEYS + " keys");
      }
      for (int i = 0; i < KEYS; i++) {
        int index = steps == 0 ? indexes[i] : Dataset.SMALL.following(indexes[i]);
        Dataset.SMALL.check(index, values[i]);
      }
    }

    private void swap(int one, int other) {
      int kept = indexes[one];
      indexes[one] = indexes[other];
      indexes[other] = kept;
    }
  }
}
