package dev.sheaf.scripts;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.internal.ExceptionFactory;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads any reply into a tree of null, {@code Long}, {@code Double}, {@code Boolean}, {@code
 * byte[]}, {@link Failure}, {@code List} and {@link Entries}.
 *
 * <p>Lettuce's decoder hands over a status as it does a text, so the two cannot be told apart.
 */
final class Reply extends CommandOutput<byte[], byte[], @Nullable Object> {

  /** A map of RESP3: keys and values in turn. */
  record Entries(List<@Nullable Object> flat) {}

  /** An error inside a list. */
  record Failure(String message) {
    RedisCommandExecutionException exception() {
      return ExceptionFactory.createExecutionException(message);
    }
  }

  /** Aggregates that are not complete, the innermost first. */
  private final Deque<Frame> open = new ArrayDeque<>();

  @SuppressWarnings("NullAway") // There is no reply yet; Lettuce's own outputs do the same.
  Reply() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  private static final class Frame {
    final List<@Nullable Object> elements;
    final int size;
    final boolean map;

    Frame(int size, boolean map) {
      this.size = size;
      this.map = map;
      this.elements = new ArrayList<>(size);
    }

    Object value() {
      List<@Nullable Object> list = Collections.unmodifiableList(elements);
      return map ? new Entries(list) : list;
    }
  }

  private void add(@Nullable Object element) {
    Object value = element;
    while (true) {
      Frame frame = open.peek();
      if (frame == null) {
        setRoot(value);
        return;
      }
      frame.elements.add(value);
      if (frame.elements.size() < frame.size) {
        return;
      }
      open.pop();
      value = frame.value();
    }
  }

  @SuppressWarnings("NullAway") // A nil is null.
  private void setRoot(@Nullable Object value) {
    output = value;
  }

  private void begin(int size, boolean map) {
    if (size < 0) {
      add(null);
    } else if (size == 0) {
      add(new Frame(0, map).value());
    } else {
      open.push(new Frame(size, map));
    }
  }

  @Override
  public void multi(int count) {
    begin(count, false);
  }

  @Override
  public void multiMap(int entries) {
    begin(2 * entries, true);
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

  @Override
  public void setError(ByteBuffer bytes) {
    if (open.isEmpty()) {
      super.setError(bytes);
    } else {
      add(new Failure(StandardCharsets.UTF_8.decode(bytes).toString()));
    }
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  /** A reply in words, for messages. */
  static String describe(@Nullable Object reply) {
    if (reply == null) {
      return "nil";
    }
    if (reply instanceof Long || reply instanceof Double || reply instanceof Boolean) {
      return "the " + (reply instanceof Boolean ? "boolean " : "number ") + reply;
    }
    if (reply instanceof byte[] bytes) {
      return "a text of " + bytes.length + " bytes";
    }
    if (reply instanceof Failure failure) {
      return "the error " + failure.message();
    }
    if (reply instanceof List<?> list) {
      return "a list of " + list.size() + " elements";
    }
    return "a map";
  }
}
