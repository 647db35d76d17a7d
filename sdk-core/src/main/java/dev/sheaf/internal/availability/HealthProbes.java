// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.internal.common.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Checks for problems of nodes that still answer PING: the node has become a replica, or the
 * cluster is down. Each check returns a description of the problem, or null. A server that does not
 * know the command, or does not allow it, counts as healthy.
 */
final class HealthProbes {

  private HealthProbes() {}

  /** Asks with HELLO, which every user may send, unlike ROLE. */
  static CompletionStage<@Nullable String> role(RedisAsyncCommands<String, String> commands) {
    CompletionStage<List<Object>> hello =
        commands.dispatch(
            CommandType.HELLO,
            new NestedMultiOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8));
    return orWell(
        hello.thenApply(
            fields -> {
              int index = fields.indexOf("role");
              Object role = index < 0 || index + 1 >= fields.size() ? "" : fields.get(index + 1);
              return "replica".equals(role) || "slave".equals(role)
                  ? "READONLY: the node is a replica now, as after a failover; writes fail"
                  : null;
            }));
  }

  static CompletionStage<@Nullable String> cluster(RedisAsyncCommands<String, String> commands) {
    return orWell(
        commands
            .clusterInfo()
            .thenApply(
                info ->
                    info.contains("cluster_state:fail")
                        ? "CLUSTERDOWN: the cluster serves no keys, cluster_state is fail"
                        : null));
  }

  private static CompletionStage<@Nullable String> orWell(CompletionStage<@Nullable String> check) {
    return check.exceptionally(
        failure -> {
          if (Failures.cause(failure) instanceof RedisCommandExecutionException) {
            return null;
          }
          throw new CompletionException(failure);
        });
  }
}
