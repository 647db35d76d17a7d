// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

class GetAllContractTest {

  @ForEachServer
  void everyKeyHasItsOutcome_inTheOrderOfTheKeys(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "");
      sheaf.sync().lpush("list", "x");

      Map<String, Result<String>> results =
          sheaf.getAll(List.of("list", "b", "none", "a", "b", "none"));

      assertThat(results.keySet()).containsExactly("list", "b", "none", "a");
      assertThat(results.get("a")).isEqualTo(new Result.Value<>("1"));
      assertThat(results.get("b")).isEqualTo(new Result.Value<>(""));
      assertThat(results.get("none")).isEqualTo(new Result.Absent<>());
      assertThatThrownBy(() -> results.get("list").orNull()).hasMessageStartingWith("WRONGTYPE");
      assertThat(results.get("list").orElse("other")).isEqualTo("other");
    }
  }

  @ForEachServer
  void moreKeysThanASlice_areAllRead(ServerUnderTest server) {
    int count = SheafBuilder.KEYS_PER_SLICE * 2 + 17;
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < count; i++) {
          String key = "key" + i;
          keys.add(key);
          if (i % 3 != 0) {
            batch.add(redis -> redis.set(key, "v" + key));
          }
        }
      }
      Map<String, Result<String>> results = sheaf.getAll(keys);
      assertThat(new ArrayList<>(results.keySet())).isEqualTo(keys);
      for (int i = 0; i < count; i++) {
        String expected = i % 3 == 0 ? null : "vkey" + i;
        assertThat(results.get("key" + i).orNull()).isEqualTo(expected);
      }
    }
  }

  @ForEachServer
  void textOfAnyCharacters_isReadAsGetReadsIt(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> texts =
          List.of("plain", "Schlüssel", "열쇠", "🗝 key", "a\u0000b", "x".repeat(5_000));
      texts.forEach(text -> sheaf.sync().set("of " + text, text));
      List<String> keys = texts.stream().map(text -> "of " + text).toList();
      assertThat(sheaf.getAll(keys).values()).extracting(Result::orNull).isEqualTo(texts);
      assertThat(keys).extracting(sheaf.sync()::get).isEqualTo(texts);
    }
  }

  @ForEachServer
  void async_answersTheSame(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      Map<String, Result<String>> results =
          sheaf.getAllAsync(List.of("none", "a")).get(60, TimeUnit.SECONDS);
      assertThat(results.keySet()).containsExactly("none", "a");
      assertThat(results.get("a").orNull()).isEqualTo("1");
      assertThat(results.get("none").isAbsent()).isTrue();
    }
  }

  @ForEachServer
  void noKeys_noRequest(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(sheaf.getAll(List.of())).isEmpty();
      assertThat(server.commandCalls()).doesNotContainKeys("get", "mget");
    }
  }

  @ForEachServer
  void nullKey_isNamedByItsIndex_andNothingIsRead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThatThrownBy(() -> sheaf.getAll(Arrays.asList("a", null)))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("The key at index 1 is null");
      assertThatThrownBy(() -> sheaf.sync().get(null)).isInstanceOf(RuntimeException.class);
      assertThat(server.commandCalls()).doesNotContainKeys("get", "mget");
    }
  }

  @ForEachServer
  void tooManyKeysWithoutBlocking_namesTheLimit(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i <= SheafBuilder.KEYS_PER_SLICE; i++) {
        keys.add("key" + i);
      }
      assertThatThrownBy(() -> sheaf.getAllAsync(keys))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("8192")
          .hasMessageContaining("8193")
          .hasMessageContaining("getAll");
    }
  }

  @ForEachServer
  void closedClient_failsEveryKey(ServerUnderTest server) {
    Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
    sheaf.close();
    sheaf.close();
    assertThat(sheaf.getAll(List.of("a", "b")).values())
        .hasSize(2)
        .allSatisfy(result -> assertThatThrownBy(result::orNull).hasMessageContaining("closed"));
    assertThatThrownBy(() -> sheaf.sync().get("a")).hasMessageContaining("closed");
  }
}
