// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.DictionaryOptions;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The dictionary of one policy: which one values are compressed with now, if any, and what is known
 * for the next. Thread-safe; a caller never waits here, and what it would have to wait for is not
 * counted.
 */
public final class PolicyDictionary {

  /** Larger values have enough to refer to in themselves, and go by the policy's algorithm. */
  static final int LARGEST_VALUE_BYTES = 32 << 10;

  /**
   * The most bytes of values that are kept for training, more than a hundred times the dictionary:
   * 2 MiB.
   */
  private static final int SAMPLE_BYTES = 2 << 20;

  /** Where values are only counted, one in so many is. */
  private static final int COUNTED = 16;

  /** So many counted values tell whether the ratio has drifted; twice as many each time. */
  private static final int WINDOW = 256;

  /** The doubling ends there. */
  private static final int MAX_DOUBLINGS = 14;

  /** The ratio has drifted if it is so many times that of the trial. */
  private static final double DRIFT = 1.25;

  /** A drift of so little is none, however good the ratio was. */
  private static final double MIN_DRIFT = 0.02;

  /** So many values are written before the next try at first; each time twice as many. */
  private static final long FIRST_REST = 50_000;

  private static final long LONGEST_REST = 10_000_000;

  private enum State {
    /** Gathers samples. */
    LEARNING,
    /** Waits for the outcome of a training. */
    TRAINING,
    /** Counts what its dictionary makes of values. */
    WATCHING,
    /** Lets values pass for some time, with or without a dictionary. */
    RESTING
  }

  private final CompressionPolicy policy;
  private final boolean trains;
  private final int samplesToTrain;
  private final Consumer<PolicyDictionary> train;
  private final ReentrantLock lock = new ReentrantLock();
  private final SampleReservoir reservoir;
  private volatile State state = State.LEARNING;
  private volatile @Nullable TrainedDictionary current;
  private long rest = FIRST_REST;
  private long resting;
  private double expectedRatio;
  private int adoptions = -1;
  private int counted;
  private long countedOriginal;
  private long countedStored;

  /**
   * Creates it, without a dictionary.
   *
   * @param train is told that there are samples enough, while the caller's lock is held
   */
  PolicyDictionary(
      CompressionPolicy policy, DictionaryOptions options, Consumer<PolicyDictionary> train) {
    this.policy = policy;
    this.samplesToTrain = options.samples();
    this.reservoir = new SampleReservoir(SAMPLE_BYTES);
    this.train = train;
    this.trains = options.training();
    if (!trains) {
      state = State.RESTING;
      resting = Long.MAX_VALUE;
    }
  }

  CompressionPolicy policy() {
    return policy;
  }

  /** What values are compressed with now; null for the policy's algorithm. */
  public @Nullable TrainedDictionary current() {
    return current;
  }

  /** Whether a value of that size is any business of a dictionary's. */
  public static boolean suits(int length) {
    return length <= LARGEST_VALUE_BYTES;
  }

  /** A value is about to be written. */
  public void sees(byte[] bytes, int start, int length) {
    State now = state;
    if (now == State.TRAINING
        || now == State.WATCHING
        || (now == State.RESTING && ThreadLocalRandom.current().nextInt(COUNTED) != 0)
        || !lock.tryLock()) {
      return;
    }
    try {
      if (state == State.RESTING) {
        resting -= COUNTED;
        if (resting <= 0) {
          state = State.LEARNING;
        }
      } else if (state == State.LEARNING) {
        reservoir.offer(bytes, start, length);
        if (reservoir.seen() >= samplesToTrain) {
          state = State.TRAINING;
          train.accept(this);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** A value was compressed with the current dictionary, or was not worth it. */
  public void compressed(int originalBytes, int storedBytes) {
    if (state != State.WATCHING
        || ThreadLocalRandom.current().nextInt(COUNTED) != 0
        || !lock.tryLock()) {
      return;
    }
    try {
      countedOriginal += originalBytes;
      countedStored += storedBytes;
      if (++counted >= WINDOW << adoptions) {
        double ratio = (double) countedStored / countedOriginal;
        if (state == State.WATCHING && ratio > expectedRatio * DRIFT + MIN_DRIFT) {
          state = State.LEARNING;
        }
        forgetCounts();
      }
    } finally {
      lock.unlock();
    }
  }

  private void forgetCounts() {
    counted = 0;
    countedOriginal = 0;
    countedStored = 0;
  }

  /** The samples for a training, which are forgotten here. */
  List<byte[]> takeSamples() {
    lock.lock();
    try {
      return reservoir.take();
    } finally {
      lock.unlock();
    }
  }

  /** Values are compressed with this one from now on. It must be stored. */
  void adopt(TrainedDictionary dictionary, double ratio) {
    lock.lock();
    try {
      current = dictionary;
      expectedRatio = ratio;
      adoptions = Math.min(adoptions + 1, MAX_DOUBLINGS);
      forgetCounts();
      reservoir.take();
      if (trains) {
        state = State.WATCHING;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether it may be another dictionary, and it is not known here that none is worth it. */
  boolean isOpenTo(int id) {
    TrainedDictionary used = current;
    State now = state;
    return (used == null || used.id() != id)
        && (now == State.LEARNING || now == State.WATCHING || !trains);
  }

  /** Takes what another client has adopted, or an application ships, if it is open to that. */
  void adoptOfOthers(TrainedDictionary dictionary) {
    if (isOpenTo(dictionary.id())) {
      adopt(dictionary, dictionary.ratio());
    }
  }

  /** No dictionary is worth it for now; the next try is made after some time. */
  void reject() {
    lock.lock();
    try {
      current = null;
      rest();
    } finally {
      lock.unlock();
    }
  }

  /** There is no saying, because the training failed; what is used stays in use for some time. */
  void failed() {
    lock.lock();
    try {
      rest();
    } finally {
      lock.unlock();
    }
  }

  private void rest() {
    resting = rest;
    rest = Math.min(2 * rest, LONGEST_REST);
    state = State.RESTING;
  }
}
