// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The maxmemory limit of a node: the size of its data, and which keys are evicted. Sizes are those
 * of MEMORY USAGE, an estimate that is the same on every JVM. They are counted only while a limit
 * is set.
 */
public final class MemoryLimit {
  /** The memory besides the data, about that of an empty redis-server. */
  private static final long EMPTY_SERVER_BYTES = 1_000_000;

  private static final long KEY_BYTES = 40;

  /** Removes a key and everything that depends on it. */
  interface Eviction {
    void evict(Database db, byte[] key);
  }

  private final Config config;
  private final List<Database> databases;
  private final RandomGenerator random;
  private final Eviction eviction;
  private long limit;
  private String policy = "noeviction";
  private int samples;
  private long used;

  /** The bytes of each key, by database; empty without a limit. */
  private final List<ByteMap<Long>> sizes = new ArrayList<>();

  MemoryLimit(Config config, List<Database> databases, RandomGenerator random, Eviction eviction) {
    this.config = config;
    this.databases = databases;
    this.random = random;
    this.eviction = eviction;
  }

  /** Returns the size of a key with its value. */
  public static long bytesOf(byte[] key, Value value) {
    return KEY_BYTES + key.length + (value instanceof StringValue s ? s.memory() : value.memory());
  }

  /** The limit in bytes; zero for none. */
  public long limit() {
    return limit;
  }

  /** Returns the size counted against the limit, in bytes; zero without one. */
  public long used() {
    return limit == 0 ? 0 : EMPTY_SERVER_BYTES + used;
  }

  /** Reads the current settings. */
  void configured() {
    limit = config.number("maxmemory");
    policy = String.valueOf(config.get("maxmemory-policy"));
    samples = (int) config.number("maxmemory-samples");
    recount();
  }

  /** Counts all keys again. */
  void recount() {
    used = 0;
    sizes.clear();
    if (limit == 0) {
      return;
    }
    for (Database db : databases) {
      sizes.add(new ByteMap<>());
      for (var e = db.table().first(); e != null; e = e.after()) {
        changed(db, e.key);
      }
    }
  }

  void changed(Database db, byte[] key) {
    if (limit == 0) {
      return;
    }
    Value value = db.table().get(key);
    ByteMap<Long> known = sizes.get(db.index);
    long now = value == null ? 0 : bytesOf(key, value);
    Long before = value == null ? known.remove(key) : known.put(key, now);
    used += now - (before == null ? 0 : before);
  }

  /** Returns whether data can be added, after evicting keys as the policy says. */
  boolean hasRoom() {
    while (used() > limit) {
      if (policy.equals("noeviction") || !evictOne()) {
        return false;
      }
    }
    return true;
  }

  private boolean evictOne() {
    Database from = null;
    ByteMap.Entry<Value> worst = null;
    for (Database db : databases) {
      ByteMap<Value> candidates = policy.startsWith("volatile") ? db.mortal() : db.table();
      for (int i = 0; i < samples; i++) {
        ByteMap.Entry<Value> e = candidates.random(random);
        if (e != null && (worst == null || goesBefore(e.value(), worst.value()))) {
          worst = e;
          from = db;
        }
      }
    }
    if (from == null || worst == null) {
      return false;
    }
    eviction.evict(from, worst.key);
    return true;
  }

  /**
   * The frequency of use is not counted: the LFU policies also evict the least recently used key.
   */
  private boolean goesBefore(Value one, Value other) {
    return policy.endsWith("ttl")
        ? one.expireAt() < other.expireAt()
        : !policy.endsWith("random") && one.usedAt() < other.usedAt();
  }
}
