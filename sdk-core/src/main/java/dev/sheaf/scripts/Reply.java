package dev.sheaf.scripts;

import dev.sheaf.internal.common.ReplyTree;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.internal.ExceptionFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link ReplyTree} that tells maps from lists, and has the errors inside both. */
final class Reply extends ReplyTree {

  /** A map of RESP3: keys and values in turn. */
  record Entries(List<@Nullable Object> flat) {}

  /** An error inside a list. */
  record Failure(String message) {
    RedisCommandExecutionException exception() {
      return ExceptionFactory.createExecutionException(message);
    }
  }

  @Override
  protected Object ofMap(List<@Nullable Object> flat) {
    return new Entries(flat);
  }

  @Override
  public void setError(ByteBuffer bytes) {
    if (isInside()) {
      add(new Failure(StandardCharsets.UTF_8.decode(bytes).toString()));
    } else {
      super.setError(bytes);
    }
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
