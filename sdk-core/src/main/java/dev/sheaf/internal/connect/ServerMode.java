// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.pipeline.Replies;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The mode that a server reports: standalone, cluster or sentinel. */
public enum ServerMode {
  STANDALONE,
  CLUSTER,
  SENTINEL;

  /**
   * Asks a server: with HELLO on Redis 6 and later and Valkey, with INFO on older ones.
   *
   * @throws io.lettuce.core.RedisException if it does not answer in time, or with an error
   */
  public static ServerMode ask(StatefulRedisConnection<?, ?> connection, Duration timeout) {
    try {
      List<Object> hello =
          call(
              connection,
              CommandType.HELLO,
              new NestedMultiOutput<>(StringCodec.UTF8),
              new CommandArgs<>(StringCodec.UTF8),
              timeout);
      return fromName(valueAfter(hello, "mode"));
    } catch (RedisCommandExecutionException unknownCommand) {
      return fromInfo(
          call(
              connection,
              CommandType.INFO,
              new StatusOutput<>(StringCodec.UTF8),
              new CommandArgs<>(StringCodec.UTF8).add("server"),
              timeout));
    }
  }

  private static Object valueAfter(List<Object> fields, String name) {
    int index = fields.indexOf(name);
    return index < 0 || index + 1 >= fields.size() ? "standalone" : fields.get(index + 1);
  }

  private static ServerMode fromInfo(String info) {
    for (String line : info.split("\r?\n", -1)) {
      if (line.startsWith("redis_mode:") || line.startsWith("server_mode:")) {
        return fromName(line.substring(line.indexOf(':') + 1));
      }
    }
    return STANDALONE;
  }

  private static ServerMode fromName(Object name) {
    return switch (String.valueOf(name).trim().toLowerCase(Locale.ROOT)) {
      case "cluster" -> CLUSTER;
      case "sentinel" -> SENTINEL;
      default -> STANDALONE;
    };
  }

  /** Sends a command with a codec of its own, as the connection has the user's. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <T> T call(
      StatefulRedisConnection<?, ?> connection,
      CommandType type,
      CommandOutput<String, String, T> output,
      CommandArgs<String, String> args,
      Duration timeout) {
    AsyncCommand<String, String, T> command = new AsyncCommand<>(new Command<>(type, output, args));
    ((StatefulRedisConnection) connection).dispatch(command);
    return Replies.resultOf(command, timeout);
  }
}
