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
 * The dictionary state of one policy: the current dictionary, if any, and the samples and counts
 * for the next one. Thread-safe. Callers never wait; counts that would need the lock are skipped.
 */
public final class PolicyDictionary {

  /** Larger values compress well without a dictionary, and use the policy's algorithm. */
  static final int LARGEST_VALUE_BYTES = 32 << 10;

  /**
   * The most bytes of values that are kept for training: 2 MiB, more than a hundred times the
   * dictionary.
   */
  private static final int SAMPLE_BYTES = 2 << 20;

  /** While values are only counted, one of this many is. */
  private static final int COUNTED = 16;

  /** How many counted values show whether the ratio has drifted; doubled each time. */
  private static final int WINDOW = 256;

  /** The most doublings. */
  private static final int MAX_DOUBLINGS = 14;

  /** The ratio has drifted if it is this many times that of the trial. */
  private static final double DRIFT = 1.25;

  /** Smaller drifts are ignored, however good the ratio was. */
  private static final double MIN_DRIFT = 0.02;

  /** How many values are written before the next attempt; doubled each time. */
  private static final long FIRST_REST = 50_000;

  private static final long LONGEST_REST = 10_000_000;

  private enum State {
    /** Collects samples. */
    LEARNING,
    /** Waits for the outcome of a training. */
    TRAINING,
    /** Counts the sizes that its dictionary achieves. */
    WATCHING,
    /** Pauses for some time, with or without a dictionary. */
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
   * Creates the state without a dictionary.
   *
   * @param train called while the caller holds the lock, once there are enough samples
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

  /** Returns the current dictionary; null for the policy's algorithm. */
  public @Nullable TrainedDictionary current() {
    return current;
  }

  /** Returns whether values of this size use dictionaries. */
  public static boolean suits(int length) {
    return length <= LARGEST_VALUE_BYTES;
  }

  /** Called before a value is written. */
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

  /** Called after a value was compressed with the current dictionary, or found not worth it. */
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

  /** Removes and returns the samples for a training. */
  List<byte[]> takeSamples() {
    lock.lock();
    try {
      return reservoir.take();
    } finally {
      lock.unlock();
    }
  }

  /** Compresses with this dictionary from now on. It must be stored. */
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

  /** Returns whether another dictionary can be adopted: none was found not worthwhile here. */
  boolean isOpenTo(int id) {
    TrainedDictionary used = current;
    State now = state;
    return (used == null || used.id() != id)
        && (now == State.LEARNING || now == State.WATCHING || !trains);
  }

  /** Adopts a dictionary of another client or of the options, if possible. */
  void adoptOfOthers(TrainedDictionary dictionary) {
    if (isOpenTo(dictionary.id())) {
      adopt(dictionary, dictionary.ratio());
    }
  }

  /** Records that no dictionary is worthwhile for now. The next attempt is made after some time. */
  void reject() {
    lock.lock();
    try {
      current = null;
      rest();
    } finally {
      lock.unlock();
    }
  }

  /** Records a failed training: the current dictionary stays in use for some time. */
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
