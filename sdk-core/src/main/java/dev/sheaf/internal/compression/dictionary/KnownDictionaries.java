// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries that a client has in memory. A missing one is fetched once for all callers, and
 * a lost one is not requested again for a second. Never blocks. Thread-safe.
 */
public final class KnownDictionaries {

  /** The most that are kept, some megabytes; the oldest is dropped first. */
  static final int MAX_KNOWN = 256;

  /** The most identifiers that are remembered as not found. */
  private static final int MAX_FETCHES = 1_024;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<Integer, TrainedDictionary> known = new ConcurrentHashMap<>();
  private final Map<Integer, Fetch> fetches = new ConcurrentHashMap<>();
  private final IntFunction<CompletableFuture<byte @Nullable []>> store;

  /**
   * Creates an empty set.
   *
   * @param store reads a dictionary by its identifier
   */
  public KnownDictionaries(IntFunction<CompletableFuture<byte @Nullable []>> store) {
    this.store = store;
  }

  /** The fetch of one dictionary, in progress or failed. */
  private static final class Fetch {
    final CompletableFuture<TrainedDictionary> outcome = new CompletableFuture<>();
    volatile @Nullable UnreadableValueException failure;
    volatile long failedNanos;

    boolean isOver() {
      return failure != null && System.nanoTime() - failedNanos > RETRY_NANOS;
    }
  }

  /** Adds a dictionary. One with the same content replaces the older one. */
  public void add(TrainedDictionary dictionary) {
    known.putIfAbsent(dictionary.id(), dictionary);
    fetches.remove(dictionary.id());
    while (known.size() > MAX_KNOWN) {
      known.values().stream()
          .min(Comparator.comparing(TrainedDictionary::trainedAt))
          .ifPresent(oldest -> known.remove(oldest.id()));
    }
  }

  public @Nullable TrainedDictionary get(int id) {
    return known.get(id);
  }

  Collection<TrainedDictionary> all() {
    return List.copyOf(known.values());
  }

  /**
   * Returns whether {@link #fetch} must complete before a value that needs this one can be decoded.
   */
  public boolean isToBeFetched(int id) {
    if (known.containsKey(id)) {
      return false;
    }
    Fetch fetch = fetches.get(id);
    return fetch == null || fetch.failure == null || fetch.isOver();
  }

  /**
   * Returns a dictionary.
   *
   * @throws UnreadableValueException if it is lost, or has not been fetched yet
   */
  public TrainedDictionary require(int id) {
    TrainedDictionary dictionary = known.get(id);
    if (dictionary != null) {
      return dictionary;
    }
    Fetch fetch = fetches.get(id);
    if (fetch == null || fetch.isOver()) {
      fetch(id);
      fetch = fetches.get(id);
    }
    UnreadableValueException failure = fetch == null ? null : fetch.failure;
    if (failure != null) {
      throw new UnreadableValueException(
          failure.reason(), String.valueOf(failure.getMessage()), failure.getCause());
    }
    throw unloaded(id, "it is being read just now; try again", null);
  }

  /**
   * Fetches a dictionary, unless that is in progress. The future fails with an {@link
   * UnreadableValueException} if there is none, or it cannot be read now.
   */
  public CompletableFuture<TrainedDictionary> fetch(int id) {
    Fetch mine = new Fetch();
    Fetch fetch = fetches.compute(id, (key, old) -> old == null || old.isOver() ? mine : old);
    TrainedDictionary added = known.get(id);
    if (added != null) {
      fetches.remove(id, fetch);
      return CompletableFuture.completedFuture(added);
    }
    if (fetch == mine) {
      if (fetches.size() > MAX_FETCHES) {
        // Values that name ever new dictionaries must not fill the memory.
        fetches.values().removeIf(other -> other.failure != null);
      }
      CompletableFuture<byte @Nullable []> reply;
      try {
        reply = store.apply(id);
      } catch (RuntimeException e) {
        reply = CompletableFuture.failedFuture(e);
      }
      reply.whenComplete((stored, failure) -> end(mine, id, stored, failure));
    }
    return fetch.outcome;
  }

  private void end(Fetch fetch, int id, byte @Nullable [] stored, @Nullable Throwable failure) {
    try {
      if (failure instanceof UnreadableValueException lost) {
        throw lost;
      }
      if (failure != null) {
        throw unloaded(id, "it could not be read: " + failure, failure);
      }
      if (stored == null) {
        throw lost(id, "is not in the hash " + DictionaryStore.KEY, null);
      }
      TrainedDictionary dictionary = parse(id, stored);
      add(dictionary);
      fetch.outcome.complete(dictionary);
    } catch (UnreadableValueException e) {
      fail(fetch, e);
    } catch (Throwable e) {
      // The reply waits for this, whatever failed.
      fail(fetch, unloaded(id, "it could not be used: " + e, e));
    }
  }

  private static void fail(Fetch fetch, UnreadableValueException failure) {
    fetch.failedNanos = System.nanoTime();
    fetch.failure = failure;
    fetch.outcome.completeExceptionally(failure);
  }

  private static TrainedDictionary parse(int id, byte[] stored) {
    try {
      TrainedDictionary dictionary = TrainedDictionary.parse(stored);
      if (dictionary.id() != id) {
        throw new IllegalArgumentException("it is " + dictionary.name());
      }
      return dictionary;
    } catch (RuntimeException e) {
      throw lost(
          id, "in the hash " + DictionaryStore.KEY + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** There is no usable copy. */
  public static UnreadableValueException lost(int id, String why, @Nullable Throwable cause) {
    return new UnreadableValueException(
        Reason.LOST_DICTIONARY,
        "it was compressed with the dictionary "
            + TrainedDictionary.name(id)
            + ", which "
            + why
            + ". Restore it from an exported copy by sheaf.dictionaries().importFrom(file), or give"
            + " that by DictionaryOptions.files or resources; a client that still uses it stores it"
            + " again by itself",
        cause);
  }

  private static UnreadableValueException unloaded(int id, String why, @Nullable Throwable cause) {
    return new UnreadableValueException(
        Reason.UNLOADED_DICTIONARY,
        "it was compressed with the dictionary " + TrainedDictionary.name(id) + ", and " + why,
        cause);
  }
}
