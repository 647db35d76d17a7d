// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash. Small ones report a compact encoding and keep insertion order. Fields can have a time to
 * live, as on newer servers.
 */
public final class HashValue extends Value {
  /** The fields, read-only; write through {@link #put} and {@link #remove}. */
  public final ByteMap<byte[]> fields = new ByteMap<>();

  // The maximum so far: a value that has outgrown the compact form does not return to it.
  private int mostEntries;
  private int longest;

  /** The expiries of fields; null until a field has had one. */
  private @Nullable ByteMap<Long> deadlines;

  /** No field expires before this time. */
  private long firstDeadline = Long.MAX_VALUE;

  /** Writes a field without a time to live. */
  public byte @Nullable [] put(byte[] field, byte[] value) {
    byte[] old = putKeepingTtl(field, value);
    if (old != null) {
      deadline(field, NO_EXPIRY);
    }
    return old;
  }

  /** Writes a field and keeps its time to live. */
  public byte @Nullable [] putKeepingTtl(byte[] field, byte[] value) {
    byte[] old = fields.put(field, value);
    mostEntries = Math.max(mostEntries, fields.size());
    longest = Math.max(longest, Math.max(field.length, value.length));
    return old;
  }

  public boolean remove(byte[] field) {
    if (deadlines != null) {
      deadlines.remove(field);
    }
    return fields.remove(field) != null;
  }

  /** Returns the expiry of a field in milliseconds since the epoch, or {@link #NO_EXPIRY}. */
  public long deadline(byte[] field) {
    Long deadline = deadlines == null ? null : deadlines.get(field);
    return deadline == null ? NO_EXPIRY : deadline;
  }

  /** Sets an expiry; for a stored hash use {@link Database#expireField}. */
  void deadline(byte[] field, long millis) {
    if (millis != NO_EXPIRY) {
      ByteMap<Long> known = deadlines == null ? new ByteMap<>() : deadlines;
      known.put(field, millis);
      deadlines = known;
      firstDeadline = Math.min(firstDeadline, millis);
    } else if (deadlines != null) {
      deadlines.remove(field);
    }
  }

  /** Switches to the encoding with times to live, as commands that can set one do. */
  public void makeRoomForDeadlines() {
    deadlines = deadlines == null ? new ByteMap<>() : deadlines;
  }

  /** Returns whether any field has a time to live. */
  boolean isPartlyMortal() {
    return deadlines != null && !deadlines.isEmpty();
  }

  /** Returns a time before which no field expires. */
  long firstDeadline() {
    return firstDeadline;
  }

  /** Removes expired fields. Returns false if there are none. */
  boolean removeDue(long now) {
    if (firstDeadline > now || deadlines == null) {
      return false;
    }
    firstDeadline = Long.MAX_VALUE;
    List<byte[]> due = new ArrayList<>();
    for (var e = deadlines.first(); e != null; e = e.after()) {
      if (e.value() <= now) {
        due.add(e.key);
      } else {
        firstDeadline = Math.min(firstDeadline, e.value());
      }
    }
    due.forEach(this::remove);
    return !due.isEmpty();
  }

  public int size() {
    return fields.size();
  }

  public boolean isCompact() {
    return isCompact(Encodings.DEFAULT);
  }

  private boolean isCompact(Encodings limits) {
    return mostEntries <= limits.hashEntries() && longest <= limits.hashBytes();
  }

  @Override
  public String type() {
    return "hash";
  }

  @Override
  public String encoding(Encodings encodings) {
    return !isCompact(encodings) ? "hashtable" : deadlines == null ? "listpack" : "listpackex";
  }

  @Override
  public HashValue copy() {
    HashValue copy = new HashValue();
    for (var e = fields.first(); e != null; e = e.after()) {
      copy.put(e.key, e.value());
    }
    copy.mostEntries = mostEntries;
    copy.longest = longest;
    copy.takeDeadlines(this);
    return copy;
  }

  private void takeDeadlines(HashValue from) {
    if (from.deadlines != null) {
      makeRoomForDeadlines();
      for (var e = from.deadlines.first(); e != null; e = e.after()) {
        deadline(e.key, e.value());
      }
    }
  }

  @Override
  public long memory() {
    long bytes = 64;
    for (var e = fields.first(); e != null; e = e.after()) {
      bytes += 24L + e.key.length + e.value().length;
    }
    return bytes;
  }
}
