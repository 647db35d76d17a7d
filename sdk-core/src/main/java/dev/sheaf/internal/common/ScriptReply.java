// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.internal.ExceptionFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link ReplyTree} that tells maps from lists, and has the errors inside both. */
public final class ScriptReply extends ReplyTree {

  /** A map of RESP3: keys and values in turn. */
  public record Entries(List<@Nullable Object> flat) {}

  /** An error inside a list. */
  public record Failure(String message) {
    /** As Lettuce throws it. */
    public RedisCommandExecutionException exception() {
      return ExceptionFactory.createExecutionException(message);
    }
  }

  /** A reply of another type than the script declares. The message says what came instead. */
  public static final class Mismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates a failure with what came. */
    public Mismatch(String came) {
      super(came, null, false, false);
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
  public static String describe(@Nullable Object reply) {
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
