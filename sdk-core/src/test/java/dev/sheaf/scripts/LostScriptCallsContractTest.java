// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

class LostScriptCallsContractTest {

  @ForEachServer(on = Topology.STANDALONE)
  void connectionLostAfterSending_writingScriptIsUnknown_readingOneRunsAgain(
      ServerUnderTest server) {
    Script<Long> incr = Script.of("return redis.call('INCR', KEYS[1])").returns(ResultType.INTEGER);
    Script<@Nullable String> get =
        Script.of("return redis.call('GET', KEYS[1])").readOnly().returns(ResultType.TEXT);
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(server.nodes().get(0).host(), server.nodes().get(0).port())
                .start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      RegisteredScript<String, Long> write = sheaf.scripts().register(incr);
      RegisteredScript<String, @Nullable String> read = sheaf.scripts().register(get);
      server.command("SET", "other", "value");

      proxy.pauseToClient(true);
      CompletableFuture<Long> written = write.callAsync(List.of("n"));
      CompletableFuture<@Nullable String> value = read.callAsync(List.of("other"));
      Await.until(
          "the server to have run both",
          Duration.ofSeconds(10),
          () -> "1".equals(server.command("GET", "n")) && ranReadOnly(server));
      proxy.dropConnections();
      proxy.pauseToClient(false);

      assertThatThrownBy(() -> written.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("whether it ran is unknown");
      assertThat(value.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo("value");
      assertThat(server.command("GET", "n")).isEqualTo("1");
      assertThat(write.call(List.of("n"))).isEqualTo(2);
    }
  }

  private static boolean ranReadOnly(ServerUnderTest server) {
    return server.commandCalls().getOrDefault("evalsha_ro", 0L) >= 1;
  }
}
