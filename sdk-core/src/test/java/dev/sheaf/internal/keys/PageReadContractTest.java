// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.codec.StringCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A page that is read with MGET has the results of GETs. */
class PageReadContractTest {

  private static final int KEYS = 250;

  @ForEachServer
  void everyKeyHasTheResultOfAGet(ServerUnderTest server) {
    Random random = new Random(7);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        String key = "key" + i;
        keys.add(key);
        switch (random.nextInt(20)) {
          case 0 -> sheaf.sync().rpush(key, "item");
          case 1 -> sheaf.sync().set(key, "");
          case 2 -> keys.add("none" + i);
          default -> sheaf.sync().set(key, "value" + i + "\u00e9\ud83d\ude00");
        }
      }
      for (int round = 0; round < 20; round++) {
        Collections.shuffle(keys, random);
        List<String> page = keys.subList(0, 1 + random.nextInt(keys.size()));

        Map<String, Result<String>> results = sheaf.getAll(page);

        assertThat(results.keySet()).containsExactlyElementsOf(page);
        for (String key : page) {
          RedisFuture<String> get = sheaf.async().get(key);
          if (results.get(key) instanceof Result.Failure<String> failed) {
            assertThat(failed.error()).hasMessageStartingWith("WRONGTYPE");
            assertThatThrownBy(get.toCompletableFuture()::join)
                .hasMessageContaining(failed.error().getMessage());
          } else {
            assertThat(results.get(key).orNull()).isEqualTo(get.toCompletableFuture().join());
          }
        }
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void aPageIsAnMget_andKeysWithoutValueAreReadByGet(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = keys(sheaf);
      server.command("CONFIG", "RESETSTAT");
      List<String> page = new ArrayList<>(keys.subList(0, 60));
      page.add("none");
      page.add("key3");

      assertThat(sheaf.getAll(page)).hasSize(61);

      assertThat(server.commandCalls()).containsEntry("mget", 1L).containsEntry("get", 1L);

      sheaf.getAll(keys);

      int most = BatchingOptions.defaults().maxFusedKeys();
      assertThat(server.commandCalls())
          .containsEntry("mget", 1L + (KEYS + most - 1) / most)
          .containsEntry("get", 1L);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void whereMostKeysAreMissing_theyAreNotReadTwice(ServerUnderTest server) {
    List<String> missing = IntStream.range(0, 100).mapToObj(i -> "none" + i).toList();
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      server.command("CONFIG", "RESETSTAT");
      for (int i = 0; i < 10; i++) {
        assertThat(sheaf.getAll(missing).values())
            .hasSize(100)
            .allSatisfy(result -> assertThat(result).isEqualTo(new Result.Absent<>()));
      }
      assertThat(server.commandCalls()).containsEntry("mget", 1L).containsEntry("get", 1_000L);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void wherePagesAreForbidden_theyAreRefusedOnce(ServerUnderTest server) {
    try (Sheaf<String, String> admin = Sheaf.connect(server.uri())) {
      List<String> keys = keys(admin);
      server.command("ACL", "SETUSER", "pages", "on", ">secret", "~*", "+@all", "-mget");
      String uri = server.uri().replace("redis://", "redis://pages:secret@");
      try (Sheaf<String, String> sheaf = Sheaf.connect(uri)) {
        for (int round = 0; round < 3; round++) {
          Map<String, Result<String>> results = sheaf.getAll(keys.subList(0, 50));
          assertThat(results).hasSize(50);
          results.forEach(
              (key, result) -> assertThat(result.orNull()).isEqualTo("value of " + key));
        }
      } finally {
        server.command("ACL", "DELUSER", "pages");
      }
      assertThat(String.valueOf(server.command("INFO", "commandstats")).lines())
          .filteredOn(line -> line.startsWith("cmdstat_mget:"))
          .singleElement()
          .asString()
          .contains("calls=0,", "rejected_calls=1,");
    }
  }

  @ForEachServer
  void aValueThatCannotBeDecoded_failsItsKeyAlone(ServerUnderTest server) {
    StringCodec failing =
        new StringCodec() {
          @Override
          public String decodeValue(ByteBuffer bytes) {
            String value = super.decodeValue(bytes);
            if (value.endsWith("7") || value.endsWith("key0")) {
              throw new IllegalStateException("no sevens");
            }
            return value;
          }
        };
    try (Sheaf<String, String> plain = Sheaf.connect(server.uri());
        Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).codec(failing).connect()) {
      List<String> keys = keys(plain);
      Map<String, Result<String>> results = sheaf.getAll(keys);
      assertThat(results.keySet()).containsExactlyElementsOf(keys);
      results.forEach(
          (key, result) -> {
            if (key.endsWith("7") || key.equals("key0")) {
              assertThatThrownBy(result::orNull).hasMessageContaining("no sevens");
            } else {
              assertThat(result.orNull()).isEqualTo("value of " + key);
            }
          });
    }
  }

  private static List<String> keys(Sheaf<String, String> sheaf) {
    List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "key" + i).toList();
    keys.forEach(key -> sheaf.sync().set(key, "value of " + key));
    return keys;
  }
}
