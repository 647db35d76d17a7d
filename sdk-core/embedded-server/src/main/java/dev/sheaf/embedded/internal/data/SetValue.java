// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A set. While it has only a few integers, it reports the intset encoding, in order. */
public final class SetValue extends Value {
  private static final int INTEGER_ENTRIES = 512;

  /** The defaults of set-max-listpack-entries and set-max-listpack-value of newer servers. */
  private static final int COMPACT_ENTRIES = 128;

  private static final int COMPACT_BYTES = 64;

  /** The members, read-only; write through {@link #add} and {@link #remove}. */
  public final ByteMap<Boolean> members = new ByteMap<>();

  private boolean integers = true;
  private boolean compact = true;

  public boolean add(byte[] member) {
    if (members.put(member, Boolean.TRUE) != null) {
      return false;
    }
    if (integers && (members.size() > INTEGER_ENTRIES || Numbers.parseLong(member) == null)) {
      integers = false;
    }
    if (!integers && (members.size() > COMPACT_ENTRIES || member.length > COMPACT_BYTES)) {
      compact = false;
    }
    return true;
  }

  public boolean remove(byte[] member) {
    return members.remove(member) != null;
  }

  public boolean contains(byte[] member) {
    return members.contains(member);
  }

  public int size() {
    return members.size();
  }

  public boolean isIntegers() {
    return integers;
  }

  /** Returns a copy in the order of SMEMBERS: ascending for integers. */
  public List<byte[]> list() {
    List<byte[]> list = new ArrayList<>(members.size());
    for (var e = members.first(); e != null; e = e.after()) {
      list.add(e.key);
    }
    if (integers) {
      list.sort(Comparator.comparingLong(SetValue::number));
    }
    return list;
  }

  private static long number(byte[] member) {
    Long n = Numbers.parseLong(member);
    return n == null ? 0 : n;
  }

  @Override
  public String type() {
    return "set";
  }

  @Override
  public String encoding(Encodings encodings) {
    return integers ? "intset" : encodings.newer() && compact ? "listpack" : "hashtable";
  }

  /** Returns whether newer servers store it as a listpack or intset. */
  public boolean isCompact() {
    return compact;
  }

  @Override
  public SetValue copy() {
    SetValue copy = new SetValue();
    for (var e = members.first(); e != null; e = e.after()) {
      copy.add(e.key);
    }
    copy.integers = integers;
    copy.compact = compact;
    return copy;
  }

  @Override
  public long memory() {
    long bytes = 64;
    for (var e = members.first(); e != null; e = e.after()) {
      bytes += 24L + e.key.length;
    }
    return bytes;
  }
}
