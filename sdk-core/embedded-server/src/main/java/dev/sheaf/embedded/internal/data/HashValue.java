// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash. Small ones report a compact encoding and keep the order of insertion. Fields may have a
 * time to live of their own, as those of newer servers have.
 */
public final class HashValue extends Value {
  /** The fields, for reading; write through {@link #put} and {@link #remove}. */
  public final ByteMap<byte[]> fields = new ByteMap<>();

  // The most there ever was: what has outgrown the compact form does not go back to it.
  private int mostEntries;
  private int longest;

  /** The ends of life of fields; null until a field has had one. */
  private @Nullable ByteMap<Long> deadlines;

  /** No field is due before. */
  private long firstDeadline = Long.MAX_VALUE;

  /** Writes a field, which has no time to live from now on. */
  public byte @Nullable [] put(byte[] field, byte[] value) {
    byte[] old = putKeepingTtl(field, value);
    if (old != null) {
      deadline(field, NO_EXPIRY);
    }
    return old;
  }

  /** Writes a field, which keeps its time to live. */
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

  /** When the field ends, in milliseconds since the epoch, or {@link #NO_EXPIRY}. */
  public long deadline(byte[] field) {
    Long deadline = deadlines == null ? null : deadlines.get(field);
    return deadline == null ? NO_EXPIRY : deadline;
  }

  /** Changes it; a stored hash through {@link Database#expireField}. */
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

  /** Takes the encoding that has room for times to live, as a command that may set one does. */
  public void makeRoomForDeadlines() {
    deadlines = deadlines == null ? new ByteMap<>() : deadlines;
  }

  /** Whether any field has a time to live. */
  boolean isPartlyMortal() {
    return deadlines != null && !deadlines.isEmpty();
  }

  /** Not after the first end of life. */
  long firstDeadline() {
    return firstDeadline;
  }

  /** Removes the fields whose time has come; false if there are none. */
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
