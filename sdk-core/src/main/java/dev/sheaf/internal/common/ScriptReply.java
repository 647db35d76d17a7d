// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.internal.ExceptionFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link ReplyTree} that distinguishes maps from lists, and keeps errors inside of both. */
public final class ScriptReply extends ReplyTree {

  /** A RESP3 map: alternating keys and values. */
  public record Entries(List<@Nullable Object> flat) {}

  /** An error inside a list. */
  public record Failure(String message) {
    /** The exception that Lettuce throws for it. */
    public RedisCommandExecutionException exception() {
      return ExceptionFactory.createExecutionException(message);
    }
  }

  /** Thrown if a reply is not of the type that the script declares. The message describes it. */
  public static final class Mismatch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with a description of the reply. */
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

  /** Describes a reply, for messages. */
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
