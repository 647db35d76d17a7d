// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ScatterException;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;

/**
 * One scatter. A thread divides the keys into slices and sends them as far as the nodes have
 * capacity. Replies are reduced as they arrive.
 *
 * @param <K> the type of keys
 * @param <T> the type of a slice's result
 * @param <A> the accumulator of the collector
 * @param <R> the type of the final result
 */
final class Scatter<K, T extends @Nullable Object, A, R> {

  /** How many keys are collected on a cluster to be sorted by slot: eight for each slot. */
  private static final int MAX_SORTED_KEYS = 131_072;

  /** How many slices are filled at once on a single server, so that few are cut short. */
  private static final int FILLED_SLICES = 4;

  /** The most bytes of keys to collect at once, however few keys they are. */
  private static final long MAX_HELD_BYTES = 16 << 20;

  private final ScriptParts<K> parts;
  private final String name;
  private final Function<List<EncodedKey<K>>, CompletableFuture<T>> call;
  private final Collector<? super T, A, R> results;
  private final long budgetNanos;
  private final CompletableFuture<R> result = new CompletableFuture<>();

  /** Guards the fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final SliceSizer sizer;
  private final Map<String, Load> loads = new HashMap<>();
  private final List<ScatterException.FailedSlice> failures = new ArrayList<>();
  private final A gathered;
  private int underWay;
  private long keysDone;
  private boolean stopped;
  private @Nullable Throwable broken;

  /**
   * Creates a scatter without starting it.
   *
   * @param name the name of the script
   * @param call calls the script with the keys of a slice
   */
  Scatter(
      ScriptParts<K> parts,
      String name,
      Function<List<EncodedKey<K>>, CompletableFuture<T>> call,
      Collector<? super T, A, R> results,
      Duration budget) {
    this.parts = parts;
    this.name = name;
    this.call = call;
    this.results = results;
    this.budgetNanos = budget.toNanos();
    this.sizer = new SliceSizer(budgetNanos / 5, RegisteredScript.MAX_SLICE_KEYS);
    this.gathered = results.supplier().get();
    result.whenComplete((value, failure) -> stop());
  }

  /** The work of one node in this scatter. */
  private static final class Load {
    long plannedNanos;
    int slices;
    long lastReplyNanos = System.nanoTime();
    long fastestNanos = Long.MAX_VALUE;
  }

  private record Slice<K>(
      List<EncodedKey<K>> keys, String node, long plannedNanos, long sentNanos) {}

  /** Cancelling it stops sending slices. */
  CompletableFuture<R> result() {
    return result;
  }

  private void stop() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Sends everything, waits for all replies and completes the result. */
  void run(Iterable<? extends K> keys) {
    try {
      Iterator<? extends K> iterator = keys.iterator();
      boolean all = true;
      while (all && iterator.hasNext()) {
        // On a single server, the next keys are encoded while the server processes those before.
        all = sendAll(next(iterator));
      }
      awaitAll();
      complete(all);
    } catch (InterruptedException e) {
      result.completeExceptionally(new RedisCommandInterruptedException(e));
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  /**
   * Returns how many keys to read next: on a cluster many, to be sorted by slot, otherwise a few
   * slices.
   */
  private List<EncodedKey<K>> next(Iterator<? extends K> keys) {
    boolean cluster = parts.nodes().isCluster();
    int most = cluster ? MAX_SORTED_KEYS : FILLED_SLICES * nextSize();
    List<EncodedKey<K>> buffer = new ArrayList<>();
    long bytes = 0;
    while (buffer.size() < most && bytes < MAX_HELD_BYTES && keys.hasNext()) {
      K key = Objects.requireNonNull(keys.next(), () -> "A key of script '" + name + "' is null");
      EncodedKey<K> encoded = EncodedKey.of(key, parts.codec(), cluster);
      bytes += encoded.bytes().length;
      buffer.add(encoded);
    }
    if (cluster) {
      buffer.sort(Comparator.comparingInt(EncodedKey::slot));
    }
    return buffer;
  }

  /** Sends keys as nodes have capacity. Returns whether all were sent. */
  private boolean sendAll(List<EncodedKey<K>> sorted) throws InterruptedException {
    Map<String, Deque<List<EncodedKey<K>>>> byNode = byNode(sorted);
    while (!byNode.isEmpty()) {
      WriteScope.runBlocking(() -> byNode.forEach(this::sendWhatFits), parts.commandTimeout());
      byNode.values().removeIf(Deque::isEmpty);
      if (!byNode.isEmpty() && !awaitRoom(byNode.keySet())) {
        return false;
      }
    }
    return true;
  }

  /** Groups the keys by node and slot. */
  private Map<String, Deque<List<EncodedKey<K>>>> byNode(List<EncodedKey<K>> sorted) {
    Map<String, Deque<List<EncodedKey<K>>>> byNode = new LinkedHashMap<>();
    int from = 0;
    while (from < sorted.size()) {
      int slot = sorted.get(from).slot();
      int end = from + 1;
      while (end < sorted.size() && sorted.get(end).slot() == slot) {
        end++;
      }
      byNode
          .computeIfAbsent(parts.nodes().nodeOf(slot), node -> new ArrayDeque<>())
          .add(sorted.subList(from, end));
      from = end;
    }
    return byNode;
  }

  private void sendWhatFits(String node, Deque<List<EncodedKey<K>>> slots) {
    while (!slots.isEmpty()) {
      int size = roomAt(node);
      if (size == 0) {
        return;
      }
      List<EncodedKey<K>> keys = slots.removeFirst();
      if (keys.size() > size) {
        slots.addFirst(keys.subList(size, keys.size()));
        keys = keys.subList(0, size);
      }
      send(keys, node);
    }
  }

  /** Returns the estimated number of keys of the next slice. */
  private int nextSize() {
    lock.lock();
    try {
      return sizer.next();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many keys can be sent to the node now; 0 for none. */
  private int roomAt(String node) {
    lock.lock();
    try {
      Load load = loads.computeIfAbsent(node, any -> new Load());
      return !stopped && hasRoom(load) ? sizer.next() : 0;
    } finally {
      lock.unlock();
    }
  }

  /** At most half of the budget is sent ahead. A slice takes a fifth of the whole budget. */
  private boolean hasRoom(Load load) {
    return load.slices == 0 || load.plannedNanos <= budgetNanos * 3 / 10;
  }

  /** Returns whether to send more now: many tiny slices are sent together. */
  private boolean wantsMore(Load load) {
    return hasRoom(load) && (load.slices <= 1 || load.plannedNanos <= budgetNanos * 3 / 20);
  }

  /** Waits until one of these nodes has capacity. Returns false if the scatter was stopped. */
  private boolean awaitRoom(Set<String> nodes) throws InterruptedException {
    WriteScope.release();
    lock.lockInterruptibly();
    try {
      while (!stopped && nodes.stream().map(loads::get).noneMatch(this::wantsMore)) {
        changed.await();
      }
      return !stopped;
    } finally {
      lock.unlock();
    }
  }

  private void awaitAll() throws InterruptedException {
    WriteScope.release();
    lock.lockInterruptibly();
    try {
      while (underWay > 0) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void send(List<EncodedKey<K>> keys, String node) {
    Slice<K> slice;
    lock.lock();
    try {
      slice = new Slice<>(keys, node, sizer.estimateNanos(keys.size()), System.nanoTime());
      Load load = Objects.requireNonNull(loads.get(node));
      load.slices++;
      load.plannedNanos += slice.plannedNanos();
      underWay++;
    } finally {
      lock.unlock();
    }
    call.apply(keys).whenComplete((value, failure) -> ended(slice, value, failure));
  }

  private void ended(Slice<K> slice, T value, @Nullable Throwable failure) {
    lock.lock();
    try {
      Load load = Objects.requireNonNull(loads.get(slice.node()));
      load.slices--;
      load.plannedNanos -= slice.plannedNanos();
      underWay--;
      keysDone += slice.keys().size();
      if (failure == null) {
        observe(slice, load);
        reduce(value);
      } else {
        failed(slice, Failures.cause(failure));
      }
      if (underWay == 0 || wantsMore(load)) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void failed(Slice<K> slice, Throwable cause) {
    List<K> keys = slice.keys().stream().map(EncodedKey::given).toList();
    failures.add(new ScatterException.FailedSlice(keys, cause));
    stopped |= failures.size() >= ScatterException.MAX_FAILURES;
  }

  /**
   * The best estimate of a slice's time is what passed since the server was free for it, by its
   * last reply, less the network's share. The server's own clock cannot tell: since Redis 7.2 it
   * stands still during a script.
   */
  private void observe(Slice<K> slice, Load load) {
    long now = System.nanoTime();
    long roundTrip = now - slice.sentNanos();
    load.fastestNanos = Math.min(load.fastestNanos, roundTrip);
    sizer.observed(
        slice.keys().size(), Math.min(roundTrip - load.fastestNanos, now - load.lastReplyNanos));
    load.lastReplyNanos = now;
  }

  private void reduce(T value) {
    if (broken == null) {
      try {
        results.accumulator().accept(gathered, value);
      } catch (RuntimeException | Error e) {
        broken = e;
        stopped = true;
      }
    }
  }

  private void complete(boolean all) {
    lock.lock();
    try {
      if (broken != null) {
        result.completeExceptionally(broken);
      } else if (failures.isEmpty()) {
        // If not all keys were sent, the scatter was cancelled and has its outcome already.
        result.complete(results.finisher().apply(gathered));
      } else {
        result.completeExceptionally(failure(all));
      }
    } finally {
      lock.unlock();
    }
  }

  private static String count(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  private ScatterException failure(boolean all) {
    Throwable first = failures.get(0).failure();
    long keys = failures.stream().mapToLong(slice -> slice.keys().size()).sum();
    String unsent =
        all
            ? ""
            : ". Keys after the first "
                + keysDone
                + " that were sent were not, because MAX_FAILURES = "
                + ScatterException.MAX_FAILURES
                + " was reached";
    return new ScatterException(
        "The scatter of script '"
            + name
            + "' failed for "
            + count(keys, "key")
            + " in "
            + count(failures.size(), "slice")
            + "; the first with: "
            + first.getMessage()
            + unsent,
        first,
        failures,
        keysDone,
        results.finisher().apply(gathered));
  }
}
