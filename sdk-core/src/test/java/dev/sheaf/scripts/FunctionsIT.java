// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Functions of libraries on real servers. */
@Timeout(180)
class FunctionsIT {

  private static final String LIBRARY = "lua/counting.lua";

  private static final Script<Long> BUMP =
      Script.functionFromClassPath(LIBRARY, "bump").keys(1).args(1).returns(ResultType.INTEGER);
  private static final Script<Long> SIZES =
      Script.functionFromClassPath(LIBRARY, "sizes").readOnly().returns(ResultType.INTEGER);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void functions_areLoadedCalledAndMended() throws Exception {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      callAll(sheaf, List.of(server));
    }
  }

  @Test
  void functionThatIsMissingInATransaction_failsThere_andDoesNotRunBehindIt() throws Exception {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> bump = sheaf.scripts().register(BUMP);
      bump.call(List.of("n"), 1);
      server.command("FUNCTION", "FLUSH");
      sheaf.standalone().sync().multi();
      CompletableFuture<Long> inside = bump.callAsync(List.of("n"), 1);
      sheaf.standalone().sync().exec();
      assertThatThrownBy(() -> inside.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(ScriptException.class)
          .hasMessageContaining("MULTI");
      assertThat(sheaf.sync().get("n")).isEqualTo("1");
    }
  }

  @Test
  void onACluster_too() throws Exception {
    try (RealRedisCluster cluster = RealRedisCluster.builder().replicas(0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(cluster.uri())) {
      callAll(sheaf, cluster.primaries());
    }
  }

  private static void callAll(Sheaf<String, String> sheaf, List<RealRedis> primaries)
      throws Exception {
    RegisteredScript<String, Long> bump = sheaf.scripts().register(BUMP);
    RegisteredScript<String, Long> sizes = sheaf.scripts().register(SIZES);
    assertThat(bump.call(List.of("n"), 3)).isEqualTo(3);
    assertThat(sizes.call(List.of("{t}a", "{t}b"))).isEqualTo(2);
    for (int i = 0; i < 5; i++) {
      primaries.forEach(node -> node.command("FUNCTION", "FLUSH"));
      assertThat(bump.callAsync(List.of("n"), 1).get(60, TimeUnit.SECONDS)).isEqualTo(4 + i);
    }
    primaries.forEach(node -> node.command("FUNCTION", "FLUSH"));
    List<Deferred<Long>> bumped = new ArrayList<>();
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < 100; i++) {
        bumped.add(batch.call(bump, List.of("k" + i), 1));
      }
    }
    assertThat(bumped).allSatisfy(result -> assertThat(result.get()).isEqualTo(1));
    List<String> keys = IntStream.range(0, 5_000).mapToObj(i -> "key:" + i).toList();
    assertThat(sizes.scatter(keys, List.of(), Collectors.summingLong(size -> size)))
        .isEqualTo(5_000);
  }

  @Test
  void libraryOfTheClassPath_missingOrWithoutItsName_isRefusedWithThePath() {
    assertThatThrownBy(() -> Script.functionFromClassPath("lua/none.lua", "f"))
        .isInstanceOf(ScriptException.class)
        .hasMessageContaining("lua/none.lua");
    assertThatThrownBy(() -> Script.functionFromClassPath("lua/echo.lua", "f"))
        .isInstanceOf(ScriptException.class)
        .hasMessageContaining("classpath:lua/echo.lua")
        .hasMessageContaining("#!lua name=mylib");
  }

  @Test
  void badLibraries_areRefused_withTheLine() {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Script<Long> broken =
          Script.function("#!lua name=broken\nlocal x y", "f").returns(ResultType.INTEGER);
      assertThatThrownBy(() -> sheaf.scripts().register(broken))
          .isInstanceOf(ScriptException.class)
          .hasMessageContaining("line 2");
      assertThatThrownBy(() -> Script.function("return 1", "f"))
          .isInstanceOf(ScriptException.class)
          .hasMessageContaining("#!lua name=mylib")
          .hasMessageContaining("'return 1'");
    }
  }
}
