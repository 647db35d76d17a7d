// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A hash table with byte strings as keys. It iterates in insertion order, selects random entries,
 * and scans by a reverse-binary cursor: an entry that is present during a whole scan is returned at
 * least once, even if the table is resized meanwhile. Keys are not copied.
 */
public final class ByteMap<V> {
  private static final int MIN_BUCKETS = 8;

  /** With at most one entry per bucket on average, a bucket never has more than 16. */
  private static final int PLACES_IN_A_BUCKET = 16;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** A key and its value. */
  public static final class Entry<V> {
    public final byte[] key;
    private final int hash;
    private V value;
    private @Nullable Entry<V> next;
    private @Nullable Entry<V> before;
    private @Nullable Entry<V> after;

    Entry(byte[] key, int hash, V value) {
      this.key = key;
      this.hash = hash;
      this.value = value;
    }

    public V value() {
      return value;
    }

    public void value(V newValue) {
      value = newValue;
    }

    /** Returns the next entry in insertion order. Call it before removing this entry. */
    public @Nullable Entry<V> after() {
      return after;
    }
  }

  private @Nullable Entry<V>[] table = buckets(MIN_BUCKETS);
  private @Nullable Entry<V> head;
  private @Nullable Entry<V> tail;
  private int size;

  @SuppressWarnings({"unchecked", "rawtypes"}) // A generic array, visible to this class only.
  private static <V> @Nullable Entry<V>[] buckets(int n) {
    return (Entry<V>[]) new Entry[n];
  }

  static int hash(byte[] key) {
    long h = 0x9E3779B97F4A7C15L ^ key.length;
    int i = 0;
    for (; i + 8 <= key.length; i += 8) {
      h = (h ^ (long) LONGS.get(key, i)) * 0xBF58476D1CE4E5B9L;
      h ^= h >>> 32;
    }
    for (; i < key.length; i++) {
      h = (h ^ key[i]) * 0x100000001B3L;
    }
    h *= 0x94D049BB133111EBL;
    return (int) (h ^ (h >>> 32) ^ (h >>> 17));
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the oldest entry; continue with {@link Entry#after()}. */
  public @Nullable Entry<V> first() {
    return head;
  }

  public @Nullable Entry<V> entry(byte[] key) {
    int hash = hash(key);
    Entry<V> e = table[hash & (table.length - 1)];
    while (e != null && !(e.hash == hash && Arrays.equals(e.key, key))) {
      e = e.next;
    }
    return e;
  }

  public @Nullable V get(byte[] key) {
    Entry<V> e = entry(key);
    return e == null ? null : e.value;
  }

  public V computeIfAbsent(byte[] key, Supplier<V> fresh) {
    V known = get(key);
    if (known == null) {
      known = fresh.get();
      put(key, known);
    }
    return known;
  }

  public boolean contains(byte[] key) {
    return entry(key) != null;
  }

  /** Returns the replaced value, or null if the key is new. */
  public @Nullable V put(byte[] key, V value) {
    int hash = hash(key);
    int bucket = hash & (table.length - 1);
    for (Entry<V> e = table[bucket]; e != null; e = e.next) {
      if (e.hash == hash && Arrays.equals(e.key, key)) {
        V old = e.value;
        e.value = value;
        return old;
      }
    }
    Entry<V> added = new Entry<>(key, hash, value);
    added.next = table[bucket];
    table[bucket] = added;
    link(added);
    if (++size > table.length) {
      resize(table.length * 2);
    }
    return null;
  }

  private void link(Entry<V> e) {
    e.before = tail;
    if (tail == null) {
      head = e;
    } else {
      tail.after = e;
    }
    tail = e;
  }

  private void unlink(Entry<V> e) {
    if (e.before == null) {
      head = e.after;
    } else {
      e.before.after = e.after;
    }
    if (e.after == null) {
      tail = e.before;
    } else {
      e.after.before = e.before;
    }
  }

  public @Nullable V remove(byte[] key) {
    int hash = hash(key);
    int bucket = hash & (table.length - 1);
    Entry<V> previous = null;
    Entry<V> e = table[bucket];
    while (e != null && !(e.hash == hash && Arrays.equals(e.key, key))) {
      previous = e;
      e = e.next;
    }
    if (e == null) {
      return null;
    }
    if (previous == null) {
      table[bucket] = e.next;
    } else {
      previous.next = e.next;
    }
    unlink(e);
    if (--size < table.length / 8 && table.length > MIN_BUCKETS) {
      resize(table.length / 2);
    }
    return e.value;
  }

  public void clear() {
    table = buckets(MIN_BUCKETS);
    head = null;
    tail = null;
    size = 0;
  }

  private void resize(int buckets) {
    @Nullable Entry<V>[] wider = buckets(buckets);
    for (Entry<V> e = head; e != null; e = e.after) {
      int bucket = e.hash & (buckets - 1);
      e.next = wider[bucket];
      wider[bucket] = e;
    }
    table = wider;
  }

  /** Visits one bucket and returns the next cursor; zero ends the scan. */
  public long scan(long cursor, Consumer<Entry<V>> visitor) {
    long mask = table.length - 1L;
    for (Entry<V> e = table[(int) (cursor & mask)]; e != null; e = e.next) {
      visitor.accept(e);
    }
    return Long.reverse(Long.reverse(cursor | ~mask) + 1);
  }

  /**
   * Returns an entry, each with the same probability; null if the table is empty. It tries random
   * positions, with as many per bucket as a bucket can ever hold: choosing a random bucket first
   * would prefer entries that are alone in theirs.
   */
  public @Nullable Entry<V> random(RandomGenerator random) {
    if (size == 0) {
      return null;
    }
    while (true) {
      Entry<V> e = table[random.nextInt(table.length)];
      for (int skip = random.nextInt(PLACES_IN_A_BUCKET); skip > 0 && e != null; skip--) {
        e = e.next;
      }
      if (e != null) {
        return e;
      }
    }
  }
}
