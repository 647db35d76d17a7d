// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A consumer group of a stream: its last delivered id, and the entries delivered but not
 * acknowledged.
 */
public final class StreamGroup {
  /** The number of entries that the group has read is unknown. */
  public static final long UNKNOWN = -1;

  /** The consumer has never received an entry. */
  public static final long NEVER = -1;

  /** A consumer of a group. */
  public static final class Consumer {
    public final byte[] name;
    public final TreeMap<StreamId, Pending> pending = new TreeMap<>();
    public long seenAt;

    /** When it last received an entry, or {@link #NEVER}. */
    public long activeAt = NEVER;

    Consumer(byte[] name, long seenAt) {
      this.name = name;
      this.seenAt = seenAt;
    }
  }

  /** A delivered entry. */
  public static final class Pending {
    private @Nullable Consumer consumer;
    private long deliveredAt;
    private long deliveries;

    Pending(long deliveredAt) {
      this.deliveredAt = deliveredAt;
      this.deliveries = 1;
    }

    public @Nullable Consumer consumer() {
      return consumer;
    }

    public byte[] consumerName() {
      return consumer == null ? Bytes.EMPTY : consumer.name;
    }

    public long deliveredAt() {
      return deliveredAt;
    }

    public long deliveries() {
      return deliveries;
    }

    public void delivered(long millis, long times) {
      deliveredAt = millis;
      deliveries = times;
    }
  }

  public final TreeMap<byte[], Consumer> consumers = new TreeMap<>(Arrays::compareUnsigned);
  public final TreeMap<StreamId, Pending> pending = new TreeMap<>();
  private StreamId lastId;
  private long entriesRead;

  public StreamGroup(StreamId lastId, long entriesRead) {
    this.lastId = lastId;
    this.entriesRead = entriesRead;
  }

  public StreamId lastId() {
    return lastId;
  }

  public long entriesRead() {
    return entriesRead;
  }

  /** {@code read} may be {@link #UNKNOWN}. */
  public void position(StreamId id, long read) {
    lastId = id;
    entriesRead = read;
  }

  /** Returns the consumer with a name, created if necessary. */
  public Consumer consumer(byte[] name, long now) {
    return consumers.computeIfAbsent(name, n -> new Consumer(n, now));
  }

  /**
   * Assigns the entry to the consumer, also if another one had it. A new one counts as delivered
   * once, now.
   */
  public Pending assign(StreamId id, Consumer to, long now) {
    Pending entry = pending.computeIfAbsent(id, i -> new Pending(now));
    Consumer from = entry.consumer;
    if (from != null && from != to) {
      from.pending.remove(id);
    }
    entry.consumer = to;
    to.pending.put(id, entry);
    return entry;
  }

  /** Removes a pending entry. Returns false if it was not pending. */
  public boolean acknowledge(StreamId id) {
    Pending entry = pending.remove(id);
    if (entry == null) {
      return false;
    }
    if (entry.consumer != null) {
      entry.consumer.pending.remove(id);
    }
    return true;
  }

  /**
   * Removes a consumer with its pending entries. Returns their number, or -1 if it does not exist.
   */
  public int removeConsumer(byte[] name) {
    Consumer gone = consumers.remove(name);
    if (gone == null) {
      return -1;
    }
    gone.pending.keySet().forEach(pending::remove);
    return gone.pending.size();
  }

  StreamGroup copy() {
    StreamGroup copy = new StreamGroup(lastId, entriesRead);
    consumers.values().forEach(c -> copy.consumer(c.name, c.seenAt).activeAt = c.activeAt);
    pending.forEach(
        (id, entry) -> {
          Consumer owner = entry.consumer;
          if (owner != null) {
            Pending same = copy.assign(id, copy.consumer(owner.name, owner.seenAt), 0);
            same.delivered(entry.deliveredAt, entry.deliveries);
          }
        });
    return copy;
  }
}
