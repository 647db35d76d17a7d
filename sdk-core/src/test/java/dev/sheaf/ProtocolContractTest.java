// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerKind;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.Transports;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** What has another form in RESP2 than in RESP3 has one meaning: maps, sets, numbers, nothing. */
class ProtocolContractTest {

  private static final int KEYS = 40;

  @ForEachServer
  void resp2_isSpokenWhereItIsAskedFor(ServerUnderTest server) {
    eachKindOfReply_isThatOfBothProtocols(server, ProtocolVersion.RESP2, "resp=2");
  }

  @ForEachServer
  void resp3_isSpokenWhereItIsAskedFor(ServerUnderTest server) {
    eachKindOfReply_isThatOfBothProtocols(server, ProtocolVersion.RESP3, "resp=3");
  }

  private static void eachKindOfReply_isThatOfBothProtocols(
      ServerUnderTest server, ProtocolVersion version, String saidByTheServer) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .clientOptions(ClientOptions.builder().protocolVersion(version).build())
            .connect()) {
      assertThat(sheaf.isCluster()).isEqualTo(server.isCluster());
      assertThat(sheaf.sync().clientInfo()).contains(saidByTheServer);
      single(sheaf);
      fused(sheaf);
      many(sheaf);
      scripts(sheaf);
    }
    sayWhatRan(server, version);
  }

  /** What .ci/ran makes the tables of docs/compatibility.md of. */
  private static void sayWhatRan(ServerUnderTest server, ProtocolVersion version) {
    System.out.println(
        String.join(
            " | ",
            "RAN",
            server.release() + (server.kind() == ServerKind.CONTAINER ? " in a container" : ""),
            server.isCluster() ? "cluster" : "alone",
            version.name(),
            Integer.toString(Runtime.version().feature()),
            LettuceVersion.getVersion().replaceAll("\\.RELEASE.*", ""),
            Transports.socketChannelClass().getSimpleName().replace("SocketChannel", "")));
  }

  private static void single(Sheaf<String, String> sheaf) {
    var redis = sheaf.sync();
    assertThat(redis.get("none")).isNull();
    redis.hset("hash", Map.of("a", "1", "b", "2"));
    assertThat(redis.hgetall("hash")).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(redis.hget("hash", "none")).isNull();
    redis.sadd("set", "x", "y");
    assertThat(redis.smembers("set")).containsExactlyInAnyOrder("x", "y");
    redis.zadd("sorted", 1.5, "member");
    assertThat(redis.zscore("sorted", "member")).isEqualTo(1.5);
    assertThat(redis.zscore("sorted", "none")).isNull();
    assertThat(redis.zrangeWithScores("sorted", 0, -1))
        .singleElement()
        .satisfies(member -> assertThat(member.getScore()).isEqualTo(1.5));
    assertThat(redis.configGet("maxmemory")).containsKey("maxmemory");
    assertThat(redis.lpop("none")).isNull();
    assertThatThrownBy(() -> redis.incr("hash"))
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessageStartingWith("WRONGTYPE");
  }

  /** Commands that are under way at once, so that some of them travel together. */
  private static void fused(Sheaf<String, String> sheaf) {
    List<CompletionStage<?>> writes = new ArrayList<>();
    List<CompletableFuture<String>> reads = new ArrayList<>();
    for (String key : keys()) {
      writes.add(sheaf.async().set(key, key));
      writes.add(sheaf.async().hset("{h}fields", key, key));
    }
    writes.forEach(write -> write.toCompletableFuture().join());
    for (String key : keys()) {
      reads.add(sheaf.async().get(key).toCompletableFuture());
      reads.add(sheaf.async().hget("{h}fields", key).toCompletableFuture());
      reads.add(sheaf.async().get(key + "-none").toCompletableFuture());
    }
    List<String> expected = new ArrayList<>();
    keys().forEach(key -> expected.addAll(Arrays.asList(key, key, null)));
    assertThat(reads.stream().map(CompletableFuture::join).toList()).isEqualTo(expected);
    CompletableFuture<String> wrong = sheaf.async().get("hash").toCompletableFuture();
    assertThatThrownBy(wrong::join).hasMessageContaining("WRONGTYPE");
  }

  private static void many(Sheaf<String, String> sheaf) {
    List<String> asked = new ArrayList<>(keys());
    asked.add("none");
    asked.add("hash");
    Map<String, Result<String>> all = sheaf.getAll(asked);
    keys().forEach(key -> assertThat(all.get(key).orNull()).isEqualTo(key));
    assertThat(all.get("none").isAbsent()).isTrue();
    assertThat(all.get("hash").isFailure()).isTrue();
    for (String key : sheaf.loop(keys())) {
      assertThat(sheaf.sync().get(key)).isEqualTo(key);
    }
  }

  private static void scripts(Sheaf<String, String> sheaf) {
    List<Object> replies =
        sheaf
            .sync()
            .eval(
                "return {1, 'two', false, redis.call('HGETALL', KEYS[1])}",
                ScriptOutputType.MULTI,
                "none");
    assertThat(replies).hasSize(4).startsWith(1L, "two", null);
    assertThat((List<?>) replies.get(3)).isEmpty();
  }

  private static List<String> keys() {
    return IntStream.range(0, KEYS).mapToObj(i -> "key:" + i).toList();
  }
}
