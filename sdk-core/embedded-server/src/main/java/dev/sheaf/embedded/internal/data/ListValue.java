// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;

/** A list in a circular array: both ends in constant time, the middle by moving elements. */
public final class ListValue extends Value {
  /** The default of list-max-listpack-size. */
  private static final int COMPACT_BYTES = 8192;

  private byte[][] ring = new byte[8][];
  private int head;
  private int size;

  public int size() {
    return size;
  }

  private int at(int index) {
    return (head + index) & (ring.length - 1);
  }

  public byte[] get(int index) {
    return ring[at(index)];
  }

  public void set(int index, byte[] element) {
    ring[at(index)] = element;
  }

  public void addFirst(byte[] element) {
    grow();
    head = (head - 1) & (ring.length - 1);
    ring[head] = element;
    size++;
  }

  public void addLast(byte[] element) {
    grow();
    ring[at(size)] = element;
    size++;
  }

  public void add(boolean left, byte[] element) {
    if (left) {
      addFirst(element);
    } else {
      addLast(element);
    }
  }

  public byte[] remove(boolean left) {
    return left ? removeAt(0) : removeAt(size - 1);
  }

  public void insert(int index, byte[] element) {
    addLast(element);
    for (int i = size - 1; i > index; i--) {
      set(i, get(i - 1));
    }
    set(index, element);
  }

  public byte[] removeAt(int index) {
    byte[] removed = get(index);
    if (index < size / 2) {
      for (int i = index; i > 0; i--) {
        set(i, get(i - 1));
      }
      ring[head] = Bytes.EMPTY;
      head = at(1);
    } else {
      for (int i = index; i < size - 1; i++) {
        set(i, get(i + 1));
      }
      set(size - 1, Bytes.EMPTY);
    }
    size--;
    return removed;
  }

  /** Keeps the elements from {@code from} up to and including {@code to}. */
  public void trim(int from, int to) {
    ListValue kept = new ListValue();
    for (int i = from; i <= to; i++) {
      kept.addLast(get(i));
    }
    become(kept);
  }

  /** Removes up to {@code max} elements equal to the given one, from the left or the right. */
  public int removeEqual(byte[] element, int max, boolean fromLeft) {
    ListValue kept = new ListValue();
    int removed = 0;
    for (int n = 0; n < size; n++) {
      byte[] e = get(fromLeft ? n : size - 1 - n);
      if (removed < max && Arrays.equals(e, element)) {
        removed++;
      } else {
        kept.add(!fromLeft, e);
      }
    }
    become(kept);
    return removed;
  }

  private void become(ListValue other) {
    ring = other.ring;
    head = other.head;
    size = other.size;
  }

  private void grow() {
    if (size < ring.length) {
      return;
    }
    byte[][] wider = new byte[ring.length * 2][];
    for (int i = 0; i < size; i++) {
      wider[i] = get(i);
    }
    ring = wider;
    head = 0;
  }

  @Override
  public String type() {
    return "list";
  }

  @Override
  public String encoding(Encodings encodings) {
    long bytes = 0;
    for (int i = 0; i < size && bytes <= COMPACT_BYTES && encodings.newer(); i++) {
      bytes += ListpackSize.of(get(i));
    }
    return encodings.newer() && bytes <= COMPACT_BYTES ? "listpack" : "quicklist";
  }

  @Override
  public ListValue copy() {
    ListValue copy = new ListValue();
    for (int i = 0; i < size; i++) {
      copy.addLast(get(i));
    }
    return copy;
  }

  @Override
  public long memory() {
    long bytes = 40;
    for (int i = 0; i < size; i++) {
      bytes += 11L + get(i).length;
    }
    return bytes;
  }
}
