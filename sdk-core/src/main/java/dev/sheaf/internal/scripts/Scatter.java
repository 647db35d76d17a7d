// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.common.Failures;
import dev.sheaf.scripts.Reducer;
import dev.sheaf.scripts.ScatterException;
import dev.sheaf.scripts.ScatterOptions;
import dev.sheaf.scripts.ScatterProgress;
import dev.sheaf.scripts.ScatterRun;
import io.lettuce.core.RedisCommandInterruptedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One scatter: a thread that cuts the keys into slices and sends them, as far as the nodes have
 * room; and replies that are reduced as they come.
 *
 * @param <K> the type of keys
 * @param <T> the type of a slice's result
 * @param <R> the type of the whole
 */
final class Scatter<K, T extends @Nullable Object, R> implements ScatterRun<R> {

  private final CallableScript<K, T> script;
  private final Arguments args;
  private final Reducer<? super T, R> reducer;
  private final ScatterOptions options;
  private final boolean cluster;
  private final CompletableFuture<R> result = new CompletableFuture<>();

  /** Guards all that follows. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final SliceSizer sizer;
  private final Map<String, Load> loads = new HashMap<>();
  private final List<ScatterException.FailedSlice> failures = new ArrayList<>();
  private R reduced;
  private int underWay;
  private long keysDone;
  private long slicesDone;
  private boolean stopped;
  private @Nullable Throwable broken;

  Scatter(
      CallableScript<K, T> script,
      Arguments args,
      Reducer<? super T, R> reducer,
      ScatterOptions options) {
    this.script = script;
    this.args = args;
    this.reducer = reducer;
    this.options = options;
    this.cluster = script.nodes().isCluster();
    this.sizer = new SliceSizer(options.budget().toNanos() / 5, options.maxSliceKeys());
    this.reduced = reducer.initial();
    result.whenComplete((value, failure) -> cancel());
  }

  /** What one node has to do for this scatter. */
  private static final class Load {
    long plannedNanos;
    int slices;
    long lastReplyNanos;
    long fastestNanos = Long.MAX_VALUE;
  }

  private record Slice<K>(List<K> keys, String node, long plannedNanos, long sentNanos) {}

  @Override
  public CompletableFuture<R> result() {
    return result;
  }

  @Override
  public ScatterProgress progress() {
    lock.lock();
    try {
      return new ScatterProgress(keysDone, slicesDone, failures.size());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void cancel() {
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
      boolean all = cluster ? sendBySlot(iterator) : sendByCount(iterator);
      awaitAll();
      complete(all);
    } catch (InterruptedException e) {
      cancel();
      result.completeExceptionally(new RedisCommandInterruptedException(e));
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      cancel();
      result.completeExceptionally(e);
    }
  }

  /** Whether all keys were sent. */
  private boolean sendByCount(Iterator<? extends K> keys) throws InterruptedException {
    String node = script.nodes().nodeOf(0);
    KeyBuffer<K> buffer = new KeyBuffer<>(script.codec(), false, SliceSizer.FIRST_KEYS);
    while (true) {
      // The next keys are encoded while the node is busy with those before.
      fill(buffer, keys, nextSize());
      if (buffer.size() == 0) {
        return true;
      }
      int size = awaitRoom(node);
      if (size == 0) {
        return false;
      }
      fill(buffer, keys, size);
      int end = Math.min(size, buffer.size());
      script.sendTogether(() -> send(buffer, 0, end, node));
      buffer.removeFirst(end);
    }
  }

  private void fill(KeyBuffer<K> buffer, Iterator<? extends K> keys, int size) {
    while (buffer.size() < size && !buffer.isFull() && keys.hasNext()) {
      K key = keys.next();
      Objects.requireNonNull(key, () -> "A key of script '" + script.script().name() + "' is null");
      buffer.add(key);
    }
  }

  /** Whether all keys were sent. */
  private boolean sendBySlot(Iterator<? extends K> keys) throws InterruptedException {
    KeyBuffer<K> buffer = new KeyBuffer<>(script.codec(), true, SliceSizer.FIRST_KEYS);
    while (keys.hasNext()) {
      buffer.clear();
      fill(buffer, keys, options.maxBufferedKeys());
      buffer.sortBySlot();
      if (!sendAll(buffer)) {
        return false;
      }
    }
    return true;
  }

  /** The places of a slot's keys that are not sent yet. */
  private static final class Bucket {
    final int end;
    int from;

    Bucket(int from, int end) {
      this.from = from;
      this.end = end;
    }
  }

  private boolean sendAll(KeyBuffer<K> sorted) throws InterruptedException {
    Map<String, Deque<Bucket>> byNode = byNode(sorted);
    while (!byNode.isEmpty()) {
      script.sendTogether(
          () -> byNode.forEach((node, buckets) -> sendWhatFits(sorted, node, buckets)));
      byNode.values().removeIf(Deque::isEmpty);
      if (!byNode.isEmpty() && !awaitChange()) {
        return false;
      }
    }
    return true;
  }

  private Map<String, Deque<Bucket>> byNode(KeyBuffer<K> sorted) {
    Map<String, Deque<Bucket>> byNode = new LinkedHashMap<>();
    int from = 0;
    while (from < sorted.size()) {
      int slot = sorted.slot(from);
      int end = from + 1;
      while (end < sorted.size() && sorted.slot(end) == slot) {
        end++;
      }
      byNode
          .computeIfAbsent(script.nodes().nodeOf(slot), node -> new ArrayDeque<>())
          .add(new Bucket(from, end));
      from = end;
    }
    return byNode;
  }

  private void sendWhatFits(KeyBuffer<K> sorted, String node, Deque<Bucket> buckets) {
    while (!buckets.isEmpty()) {
      int size = roomAt(node);
      if (size == 0) {
        return;
      }
      Bucket bucket = buckets.getFirst();
      int from = bucket.from;
      int end = Math.min(bucket.end, from + size);
      bucket.from = end;
      if (end == bucket.end) {
        buckets.removeFirst();
      }
      send(sorted, from, end, node);
    }
  }

  /** How many keys the next slice is thought to have. */
  private int nextSize() {
    lock.lock();
    try {
      return sizer.next();
    } finally {
      lock.unlock();
    }
  }

  /** How many keys the node may be sent now; 0 for none. */
  private int roomAt(String node) {
    lock.lock();
    try {
      return stopped ? 0 : room(node);
    } finally {
      lock.unlock();
    }
  }

  private int room(String node) {
    return hasRoom(loads.computeIfAbsent(node, name -> new Load())) ? sizer.next() : 0;
  }

  /** Half of the budget is sent ahead at most, of which a slice takes a fifth of the whole. */
  private boolean hasRoom(Load load) {
    return load.slices == 0 || load.plannedNanos <= options.budget().toNanos() * 3 / 10;
  }

  /** Whether it is time to send more: not for each of many tiny slices by itself. */
  private boolean wantsMore(Load load) {
    return load.slices <= 1 || load.plannedNanos <= options.budget().toNanos() * 3 / 20;
  }

  /** How many keys the node may be sent, as soon as it may; 0 if the scatter was stopped. */
  private int awaitRoom(String node) throws InterruptedException {
    script.beforeWaiting();
    lock.lockInterruptibly();
    try {
      while (!stopped) {
        int size = room(node);
        if (size > 0) {
          return size;
        }
        changed.await();
      }
      return 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a node to have room; false if the scatter was stopped. */
  private boolean awaitChange() throws InterruptedException {
    script.beforeWaiting();
    lock.lockInterruptibly();
    try {
      while (!stopped && loads.values().stream().noneMatch(this::wantsMore)) {
        changed.await();
      }
      return !stopped;
    } finally {
      lock.unlock();
    }
  }

  private void awaitAll() throws InterruptedException {
    script.beforeWaiting();
    lock.lockInterruptibly();
    try {
      while (underWay > 0) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void send(KeyBuffer<K> keys, int from, int end, String node) {
    Slice<K> slice;
    lock.lock();
    try {
      long planned = sizer.estimateNanos(end - from);
      slice = new Slice<>(keys.keys(from, end), node, planned, System.nanoTime());
      Load load = loads.computeIfAbsent(node, name -> new Load());
      load.slices++;
      load.plannedNanos += slice.plannedNanos();
      underWay++;
    } finally {
      lock.unlock();
    }
    script
        .sendSlice(keys.encoded(from, end), args)
        .whenComplete((timed, failure) -> ended(slice, timed, failure));
  }

  private void ended(Slice<K> slice, @Nullable Timed<T> timed, @Nullable Throwable failure) {
    lock.lock();
    try {
      Load load = Objects.requireNonNull(loads.get(slice.node()));
      load.slices--;
      load.plannedNanos -= slice.plannedNanos();
      underWay--;
      keysDone += slice.keys().size();
      slicesDone++;
      if (timed == null) {
        failed(slice, failure);
      } else {
        observe(slice, load, timed);
        reduce(timed);
      }
      tell();
      if (underWay == 0 || wantsMore(load)) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void failed(Slice<K> slice, @Nullable Throwable failure) {
    Throwable cause = Failures.cause(Objects.requireNonNull(failure));
    failures.add(new ScatterException.FailedSlice(slice.keys(), cause));
    stopped |= failures.size() >= ScatterException.MAX_FAILURES;
  }

  /**
   * Where the server's time is not known, what passed since it was free for this slice, by its last
   * reply, less the network's share, is as near as one can get.
   */
  private void observe(Slice<K> slice, Load load, Timed<T> timed) {
    long now = System.nanoTime();
    long nanos = TimeUnit.MICROSECONDS.toNanos(timed.micros());
    if (nanos > 0) {
      sizer.measured(slice.keys().size(), nanos);
    } else {
      long roundTrip = now - slice.sentNanos();
      load.fastestNanos = Math.min(load.fastestNanos, roundTrip);
      nanos = Math.min(roundTrip - load.fastestNanos, now - load.lastReplyNanos);
      sizer.observed(slice.keys().size(), nanos);
    }
    load.lastReplyNanos = now;
    script.sliceEnded(slice.keys().size(), nanos);
  }

  private void reduce(Timed<T> timed) {
    if (broken == null) {
      try {
        reduced = Objects.requireNonNull(reducer.step().apply(reduced, timed.value()));
      } catch (RuntimeException | Error e) {
        broken = e;
        stopped = true;
      }
    }
  }

  private void tell() {
    try {
      options.progress().accept(new ScatterProgress(keysDone, slicesDone, failures.size()));
    } catch (RuntimeException | Error e) {
      broken = broken == null ? e : broken;
      stopped = true;
    }
  }

  private void complete(boolean all) {
    lock.lock();
    try {
      if (broken != null) {
        result.completeExceptionally(broken);
      } else if (all && failures.isEmpty()) {
        result.complete(reduced);
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
    StringBuilder message =
        new StringBuilder("The scatter of script '").append(script.script().name()).append("' ");
    Throwable first = null;
    if (failures.isEmpty()) {
      message.append("was cancelled");
    } else {
      first = failures.get(0).failure();
      message
          .append("failed for ")
          .append(count(failures.stream().mapToLong(slice -> slice.keys().size()).sum(), "key"))
          .append(" in ")
          .append(count(failures.size(), "slice"))
          .append("; the first with: ")
          .append(first.getMessage());
    }
    if (!all) {
      message
          .append(". Keys after the first ")
          .append(keysDone)
          .append(" that were sent were not, ")
          .append(
              failures.isEmpty()
                  ? "as it was told to stop"
                  : "because MAX_FAILURES = " + ScatterException.MAX_FAILURES + " was reached");
    }
    return new ScatterException(
        message.toString(),
        first,
        failures,
        new ScatterProgress(keysDone, slicesDone, failures.size()),
        reduced);
  }
}
