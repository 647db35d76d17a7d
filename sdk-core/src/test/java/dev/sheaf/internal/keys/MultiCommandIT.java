// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.RedisReadOnlyException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large writes to a real server that refuses some or all of the keys. */
@Timeout(180)
class MultiCommandIT {

  private static final Result<Boolean> YES = new Result.Value<>(true);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void keysThatAUserMayNotUse_failAlone() {
    try (RealRedis server = RealRedis.start()) {
      server.command(
          "ACL", "SETUSER", "writer", "on", ">pw", "~mine:*", "+set", "+unlink", "+exists",
          "+touch", "+hello", "+client", "+ping");
      try (Sheaf<String, String> sheaf =
          Sheaf.connect(server.uri().replace("redis://", "redis://writer:pw@"))) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < 50; i++) {
          values.put((i % 2 == 0 ? "mine:" : "theirs:") + i, "v");
        }
        for (Map<String, Result<Boolean>> results :
            List.of(
                sheaf.setAll(values),
                sheaf.existsAll(values.keySet()),
                sheaf.touchAll(values.keySet()),
                sheaf.deleteAll(values.keySet()))) {
          results.forEach(
              (key, result) -> {
                if (key.startsWith("mine:")) {
                  assertThat(result).isEqualTo(YES);
                } else {
                  assertThatThrownBy(result::orNull).hasMessageStartingWith("NOPERM");
                }
              });
        }
      }
    }
  }

  @Test
  void fullServer_refusesWritesAndAllowsDeletes() {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("before", "v");
      server.command("CONFIG", "SET", "maxmemory", "1");
      assertThat(sheaf.setAll(Map.of("a", "1", "b", "2")).values())
          .hasSize(2)
          .allSatisfy(result -> assertThatThrownBy(result::orNull).hasMessageStartingWith("OOM"));
      assertThat(sheaf.existsAll(List.of("before")).values()).containsExactly(YES);
      assertThat(sheaf.deleteAll(List.of("before")).values()).containsExactly(YES);
    }
  }

  @Test
  void replica_refusesWrites() {
    try (RealRedis primary = RealRedis.start();
        RealRedis replica = RealRedis.start("replicaof 127.0.0.1 " + primary.port());
        Sheaf<String, String> sheaf = Sheaf.connect(replica.uri())) {
      for (Map<String, Result<Boolean>> results :
          List.of(sheaf.setAll(Map.of("a", "1", "b", "2")), sheaf.deleteAll(List.of("a", "b")))) {
        assertThat(results.values())
            .hasSize(2)
            .allSatisfy(
                result ->
                    assertThatThrownBy(result::orNull).isInstanceOf(RedisReadOnlyException.class));
      }
    }
  }
}
