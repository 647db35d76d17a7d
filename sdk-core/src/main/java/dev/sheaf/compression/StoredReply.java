package dev.sheaf.compression;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply as the server sent it: arrays of bytes, numbers, null, and lists of these.
 *
 * <p>Marked so that nothing in it is decompressed.
 */
final class StoredReply extends CommandOutput<byte[], byte[], Object> implements StoredOutput {

  private final Deque<Open> open = new ArrayDeque<>();

  private record Open(List<@Nullable Object> elements, int count) {}

  @SuppressWarnings("NullAway") // A nil is null.
  StoredReply() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  @Override
  public void set(ByteBuffer bytes) {
    if (bytes == null) {
      add(null);
      return;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    add(copy);
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

  @Override
  public void multi(int count) {
    if (count < 0) {
      add(null);
      return;
    }
    Open list = new Open(new ArrayList<>(), count);
    add(list.elements());
    open.push(list);
    closeFull();
  }

  @SuppressWarnings("NullAway") // A nil is null.
  private void add(@Nullable Object value) {
    Open current = open.peek();
    if (current == null) {
      output = value;
      return;
    }
    current.elements().add(value);
    if (!(value instanceof List)) {
      closeFull();
    }
  }

  private void closeFull() {
    while (!open.isEmpty() && open.element().elements().size() >= open.element().count()) {
      open.pop();
    }
  }
}
