// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An output that decodes any reply into a tree of null, {@code Long}, {@code Double}, {@code
 * Boolean}, {@code byte[]} and unmodifiable lists of these.
 *
 * <p>Lettuce's decoder delivers a status like a bulk string, so the two cannot be told apart.
 */
public abstract class ReplyTree extends CommandOutput<byte[], byte[], @Nullable Object> {

  /** Most elements to allocate by a reply's announced length; longer lists grow as they arrive. */
  private static final int MAX_INITIAL_ELEMENTS = 1_024;

  /** Incomplete aggregates, innermost first. */
  private final Deque<Frame> open = new ArrayDeque<>();

  @SuppressWarnings("NullAway") // There is no reply yet; Lettuce's own outputs do the same.
  protected ReplyTree() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  private record Frame(List<@Nullable Object> elements, int size, boolean map) {}

  /** Creates the tree node of a RESP3 map, given as alternating keys and values. */
  protected Object ofMap(List<@Nullable Object> flat) {
    return flat;
  }

  /** Whether the next value is an element of a list or map, and not the whole reply. */
  protected final boolean isInside() {
    return !open.isEmpty();
  }

  /** Adds the next value. */
  protected final void add(@Nullable Object element) {
    Object value = element;
    while (true) {
      Frame frame = open.peek();
      if (frame == null) {
        setRoot(value);
        return;
      }
      frame.elements().add(value);
      if (frame.elements().size() < frame.size()) {
        return;
      }
      open.pop();
      value = complete(frame);
    }
  }

  private Object complete(Frame frame) {
    List<@Nullable Object> list = Collections.unmodifiableList(frame.elements());
    return frame.map() ? ofMap(list) : list;
  }

  @SuppressWarnings("NullAway") // A nil is null.
  private void setRoot(@Nullable Object value) {
    output = value;
  }

  private void begin(int size, boolean map) {
    if (size < 0) {
      add(null);
      return;
    }
    Frame frame = new Frame(new ArrayList<>(Math.min(size, MAX_INITIAL_ELEMENTS)), size, map);
    if (size == 0) {
      add(complete(frame));
    } else {
      open.push(frame);
    }
  }

  @Override
  public void multi(int count) {
    begin(count, false);
  }

  @Override
  public void multiMap(int entries) {
    begin(Math.multiplyExact(2, entries), true);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    add(bytes == null ? null : copy(bytes));
  }

  @Override
  public void setBigNumber(@Nullable ByteBuffer bytes) {
    set(bytes);
  }

  @Override
  public void set(long integer) {
    add(integer);
  }

  @Override
  public void set(double number) {
    add(number);
  }

  @Override
  public void set(boolean value) {
    add(value);
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }
}
