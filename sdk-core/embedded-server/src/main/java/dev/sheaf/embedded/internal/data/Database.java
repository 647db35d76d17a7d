// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one numbered database. An expired key is removed when a command accesses it, and
 * otherwise by {@link #expireSome} and {@link #expireAll}.
 */
public final class Database {
  /** A listener to changes of keys, by commands and by expiry. */
  public interface Listener {
    /** Called when a key was created. */
    default void added(Database db, byte[] key) {}

    default void changed(Database db, byte[] key) {}

    default void expired(Database db, byte[] key) {}

    /** Called when fields of a hash have expired, possibly the last ones. */
    default void fieldsExpired(Database db, byte[] key, boolean emptied) {}

    /** Called when all keys were removed. */
    default void cleared(Database db, ByteMap<?> gone) {}
  }

  private static final Listener NO_LISTENER = new Listener() {};

  public final int index;
  private final LongSupplier clock;
  private final Listener listener;
  private long expanded;
  private ByteMap<Value> keys = new ByteMap<>();
  private ByteMap<Value> mortal = new ByteMap<>();

  /** The hashes whose fields have times to live. */
  private ByteMap<HashValue> partlyMortal = new ByteMap<>();

  private @Nullable ByteMap<Boolean> @Nullable [] bySlot;

  /** {@code clock} returns milliseconds since the epoch. */
  public Database(int index, LongSupplier clock, Listener listener, boolean slotted) {
    this.index = index;
    this.clock = clock;
    this.listener = listener;
    this.bySlot = slotted ? newSlots() : null;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // A generic array, visible to this class only.
  private static @Nullable ByteMap<Boolean>[] newSlots() {
    return (ByteMap<Boolean>[]) new ByteMap[Slots.COUNT];
  }

  public long now() {
    return clock.getAsLong();
  }

  /** Returns the value; null if there is none or it has expired. Counts as a use. */
  public @Nullable Value get(byte[] key) {
    Value value = peek(key);
    if (value != null) {
      value.usedAt(now());
      if (value instanceof StringValue string && string.isCold()) {
        string.expand();
        expanded++;
      }
    }
    return value;
  }

  /** Returns how many compressed strings a use has decompressed. */
  public long expanded() {
    return expanded;
  }

  /** As {@link #get}, but does not count as a use. */
  public @Nullable Value peek(byte[] key) {
    Value value = keys.get(key);
    if (value != null && isDue(value)) {
      expire(key);
      return null;
    }
    if (!partlyMortal.isEmpty() && value instanceof HashValue hash && removeDue(key, hash)) {
      return null;
    }
    return value;
  }

  /** Removes expired fields. Returns true if the hash is then empty. */
  private boolean removeDue(byte[] key, HashValue hash) {
    if (!hash.isPartlyMortal()) {
      partlyMortal.remove(key);
    }
    if (!hash.removeDue(now())) {
      return false;
    }
    boolean emptied = hash.size() == 0;
    if (emptied) {
      remove(key);
    }
    listener.fieldsExpired(this, key, emptied);
    return emptied;
  }

  private boolean isDue(Value value) {
    return value.expireAt() != Value.NO_EXPIRY && value.expireAt() <= now();
  }

  private void expire(byte[] key) {
    remove(key);
    listener.expired(this, key);
  }

  /** Stores a value with its own time to live, not that of the previous value. */
  public void put(byte[] key, Value value) {
    if (store(key, value)) {
      listener.added(this, key);
    }
  }

  /** Stores a value without notification. Returns true if the key is new. */
  private boolean store(byte[] key, Value value) {
    value.usedAt(now());
    Value old = keys.put(key, value);
    if (old == null) {
      index(key);
    } else if (old != value && old.expireAt() != Value.NO_EXPIRY) {
      mortal.remove(key);
    }
    if (value.expireAt() != Value.NO_EXPIRY) {
      mortal.put(key, value);
    }
    noteFields(key, value);
    return old == null;
  }

  private void noteFields(byte[] key, Value value) {
    if (value instanceof HashValue hash && hash.isPartlyMortal()) {
      partlyMortal.put(key, hash);
    } else if (!partlyMortal.isEmpty()) {
      partlyMortal.remove(key);
    }
  }

  /** Sets the expiry of a field of a stored hash; {@link Value#NO_EXPIRY} removes it. */
  public void expireField(byte[] key, HashValue hash, byte[] field, long millis) {
    hash.deadline(field, millis);
    noteFields(key, hash);
  }

  /** Stores a string as {@link #put} does, in the place of a former one; returns where it is. */
  public StringValue putString(byte[] key, byte[] bytes) {
    if (keys.get(key) instanceof StringValue old) {
      if (old.expireAt() != Value.NO_EXPIRY) {
        expireAt(key, old, Value.NO_EXPIRY);
      }
      old.usedAt(now());
      old.become(bytes);
      return old;
    }
    StringValue value = new StringValue(bytes);
    put(key, value);
    return value;
  }

  /** Stores a new value under the time to live the key has. */
  public void replace(byte[] key, Value value) {
    Value old = keys.get(key);
    if (old != null) {
      value.expireAt(old.expireAt());
    }
    put(key, value);
  }

  public @Nullable Value remove(byte[] key) {
    Value old = keys.remove(key);
    if (old != null) {
      if (old.expireAt() != Value.NO_EXPIRY) {
        mortal.remove(key);
      }
      partlyMortal.remove(key);
      unindex(key);
    }
    return old;
  }

  private void index(byte[] key) {
    if (bySlot != null) {
      int slot = Slots.of(key);
      ByteMap<Boolean> slotKeys = Objects.requireNonNullElseGet(bySlot[slot], ByteMap::new);
      bySlot[slot] = slotKeys;
      slotKeys.put(key, Boolean.TRUE);
    }
  }

  private void unindex(byte[] key) {
    if (bySlot != null) {
      ByteMap<Boolean> slotKeys = bySlot[Slots.of(key)];
      if (slotKeys != null) {
        slotKeys.remove(key);
      }
    }
  }

  /** Sets the time to live of a stored key; {@link Value#NO_EXPIRY} takes it away. */
  public void expireAt(byte[] key, Value value, long millis) {
    value.expireAt(millis);
    if (millis == Value.NO_EXPIRY) {
      mortal.remove(key);
    } else {
      mortal.put(key, value);
    }
  }

  /** Tells everybody concerned that a command changed the key. */
  public void changed(byte[] key) {
    listener.changed(this, key);
  }

  public int size() {
    return keys.size();
  }

  /** How many keys have a time to live. */
  public int mortalSize() {
    return mortal.size();
  }

  /** How many hashes have fields with a time to live. */
  public int partlyMortalSize() {
    int count = 0;
    for (var e = partlyMortal.first(); e != null; e = e.after()) {
      count += e.value().isPartlyMortal() ? 1 : 0;
    }
    return count;
  }

  /** The mean of the remaining times to live, in milliseconds; zero without any. */
  public long meanTtl() {
    if (mortal.isEmpty()) {
      return 0;
    }
    double sum = 0;
    for (var e = mortal.first(); e != null; e = e.after()) {
      sum += Math.max(0, e.value().expireAt() - now());
    }
    return (long) (sum / mortal.size());
  }

  /** The table itself, due keys included, for iteration. */
  public ByteMap<Value> table() {
    return keys;
  }

  /** The keys with a time to live, due ones included. */
  public ByteMap<Value> mortal() {
    return mortal;
  }

  public byte @Nullable [] randomKey(RandomGenerator random) {
    while (true) {
      ByteMap.Entry<Value> e = keys.random(random);
      if (e == null || peek(e.key) != null) {
        return e == null ? null : e.key;
      }
    }
  }

  public void clear() {
    if (keys.isEmpty()) {
      return;
    }
    ByteMap<Value> gone = keys;
    keys = new ByteMap<>();
    mortal = new ByteMap<>();
    partlyMortal = new ByteMap<>();
    if (bySlot != null) {
      bySlot = newSlots();
    }
    listener.cleared(this, gone);
  }

  /** Exchanges the content with the other database. */
  public void swap(Database other) {
    ByteMap<Value> k = keys;
    ByteMap<Value> m = mortal;
    ByteMap<HashValue> p = partlyMortal;
    keys = other.keys;
    mortal = other.mortal;
    partlyMortal = other.partlyMortal;
    other.keys = k;
    other.mortal = m;
    other.partlyMortal = p;
  }

  /** Takes a copy of everything the other database holds, as a replica does on a full sync. */
  public void copyFrom(Database other) {
    clear();
    for (var e = other.keys.first(); e != null; e = e.after()) {
      Value copy = e.value().copy();
      copy.expireAt(e.value().expireAt());
      store(e.key, copy);
    }
  }

  /** A copy of everything, without a listener, from which nothing expires. */
  public Database detachedCopy() {
    Database copy = new Database(index, () -> Long.MIN_VALUE, NO_LISTENER, false);
    copy.copyFrom(this);
    return copy;
  }

  public int countInSlot(int slot) {
    ByteMap<Boolean> slotKeys = bySlot == null ? null : bySlot[slot];
    return slotKeys == null ? 0 : slotKeys.size();
  }

  public List<byte[]> keysInSlot(int slot, int max) {
    List<byte[]> found = new ArrayList<>();
    ByteMap<Boolean> slotKeys = bySlot == null ? null : bySlot[slot];
    if (slotKeys != null) {
      for (var e = slotKeys.first(); e != null && found.size() < max; e = e.after()) {
        found.add(e.key);
      }
    }
    return found;
  }

  /** Removes due keys among {@code samples} taken at random; returns how many were due. */
  public int expireSome(int samples, RandomGenerator random) {
    int due = 0;
    for (int i = 0; i < samples; i++) {
      ByteMap.Entry<Value> e = mortal.random(random);
      if (e != null && isDue(e.value())) {
        expire(e.key);
        due++;
      }
    }
    return due;
  }

  /** Removes due fields of up to {@code samples} hashes taken at random. */
  public void expireSomeFields(int samples, RandomGenerator random) {
    for (int i = 0; i < samples; i++) {
      ByteMap.Entry<HashValue> e = partlyMortal.random(random);
      if (e != null) {
        removeDue(e.key, e.value());
      }
    }
  }

  /** Removes every due key and field. */
  public void expireAll() {
    ByteMap.Entry<HashValue> hash = partlyMortal.first();
    while (hash != null) {
      ByteMap.Entry<HashValue> after = hash.after();
      removeDue(hash.key, hash.value());
      hash = after;
    }
    ByteMap.Entry<Value> e = mortal.first();
    while (e != null) {
      ByteMap.Entry<Value> after = e.after();
      if (isDue(e.value())) {
        expire(e.key);
      }
      e = after;
    }
  }
}
