// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.SetArgs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Each script of the library against a model in Java, on random calls. */
class ScriptLibraryContractTest {

  private static final int STEPS = 400;

  @ForEachServer
  void sums(ServerUnderTest server) {
    Random random = new Random(5);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> zcard = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
      RegisteredScript<String, Long> scard = sheaf.scripts().register(ScriptLibrary.SUM_SCARD);
      RegisteredScript<String, Long> llen = sheaf.scripts().register(ScriptLibrary.SUM_LLEN);
      List<String> zsets = List.of("{z}1", "{z}2", "{z}3", "{z}missing");
      List<String> sets = List.of("{s}1", "{s}2", "{s}3", "{s}missing");
      List<String> lists = List.of("{l}1", "{l}2", "{l}3", "{l}missing");
      long[] sizes = new long[3];
      for (int i = 0; i < STEPS; i++) {
        String member = "m" + random.nextInt(50);
        int which = random.nextInt(3);
        sizes[0] += sheaf.sync().zadd(zsets.get(which), 1, member);
        sizes[1] += sheaf.sync().sadd(sets.get(which), member);
        sheaf.sync().rpush(lists.get(which), member);
        sizes[2]++;
        if (i % 20 == 0) {
          assertThat(zcard.call(zsets)).isEqualTo(sizes[0]);
          assertThat(scard.call(sets)).isEqualTo(sizes[1]);
          assertThat(llen.call(lists)).isEqualTo(sizes[2]);
        }
      }
      assertThat(zcard.call(List.of())).isZero();
    }
  }

  @ForEachServer
  void compareAndSet_andCompareAndDelete(ServerUnderTest server) {
    Random random = new Random(7);
    Map<String, String> model = new HashMap<>();
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Boolean> set =
          sheaf.scripts().register(ScriptLibrary.COMPARE_AND_SET);
      RegisteredScript<String, Boolean> delete =
          sheaf.scripts().register(ScriptLibrary.COMPARE_AND_DELETE);
      for (int i = 0; i < STEPS; i++) {
        String key = "k" + random.nextInt(4);
        String expected = "v" + random.nextInt(3);
        String next = "v" + random.nextInt(3);
        boolean equal = expected.equals(model.get(key));
        switch (random.nextInt(4)) {
          case 0 -> {
            sheaf.sync().set(key, next);
            model.put(key, next);
          }
          case 1 -> {
            assertThat(delete.call(List.of(key), expected)).isEqualTo(equal);
            if (equal) {
              model.remove(key);
            }
          }
          default -> {
            assertThat(set.call(List.of(key), expected, next)).isEqualTo(equal);
            if (equal) {
              model.put(key, next);
            }
          }
        }
        assertThat(sheaf.sync().get(key)).isEqualTo(model.get(key));
      }
    }
  }

  @ForEachServer
  void compareAndSet_keepsOrSetsTheLife_andLeavesOtherTypesAlone(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Boolean> set =
          sheaf.scripts().register(ScriptLibrary.COMPARE_AND_SET);
      RegisteredScript<String, Boolean> delete =
          sheaf.scripts().register(ScriptLibrary.COMPARE_AND_DELETE);
      sheaf.sync().set("k", "a", SetArgs.Builder.px(1_000_000));
      assertThat(set.call(List.of("k"), "a", "b")).isTrue();
      assertThat(sheaf.sync().pttl("k")).isBetween(900_000L, 1_000_000L);
      assertThat(set.call(List.of("k"), "b", "c", 5_000_000)).isTrue();
      assertThat(sheaf.sync().pttl("k")).isBetween(4_000_000L, 5_000_000L);
      sheaf.sync().rpush("list", "a");
      assertThat(set.call(List.of("list"), "a", "b")).isFalse();
      assertThat(delete.call(List.of("list"), "a")).isFalse();
      assertThat(sheaf.sync().llen("list")).isEqualTo(1);
      assertThat(set.call(List.of("missing"), "", "b")).isFalse();
    }
  }

  @ForEachServer
  void incrementWithExpiry(ServerUnderTest server) {
    Random random = new Random(11);
    Map<String, Long> model = new HashMap<>();
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> increment =
          sheaf.scripts().register(ScriptLibrary.INCREMENT_WITH_EXPIRY);
      for (int i = 0; i < STEPS; i++) {
        String key = "n" + random.nextInt(5);
        long by = random.nextInt(21) - 10;
        if (random.nextInt(10) == 0) {
          sheaf.sync().persist(key);
        }
        assertThat(increment.call(List.of(key), by, 1_000_000))
            .isEqualTo(model.merge(key, by, Long::sum));
        assertThat(sheaf.sync().pttl(key)).isBetween(900_000L, 1_000_000L);
      }
      increment.call(List.of("n0"), 0, 5_000_000);
      assertThat(sheaf.sync().pttl("n0")).isLessThanOrEqualTo(1_000_000);
    }
  }

  @ForEachServer
  void tokenBucket_givesItsCapacity_andThenTheWait(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> take = sheaf.scripts().register(ScriptLibrary.TOKEN_BUCKET);
      // One token in 1,000 seconds: nothing is added while this runs.
      for (int i = 0; i < 10; i++) {
        assertThat(take.call(List.of("b"), 10, 0.001, 1)).isZero();
      }
      assertThat(take.call(List.of("b"), 10, 0.001, 1)).isBetween(900_000L, 1_000_000L);
      assertThat(take.call(List.of("b"), 10, 0.001, 10)).isBetween(9_900_000L, 10_000_000L);
      assertThat(take.call(List.of("b"), 10, 0.001, 0)).isZero();
      assertThat(sheaf.sync().pttl("b")).isBetween(9_900_000L, 10_000_000L);
      assertThatThrownBy(() -> take.call(List.of("b"), 10, 0.001, 11))
          .hasMessageContaining("from 0 to the capacity, but were 11");
      assertThatThrownBy(() -> take.call(List.of("b"), 0, 1, 0))
          .hasMessageContaining("capacity must be at least 1");
      assertThatThrownBy(() -> take.call(List.of("b"), 1, 0, 0))
          .hasMessageContaining("must be above 0");
    }
  }
}
