// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Commands of Valkey 8.1 and 9 and of Redis 8.4, on each server that has them, with compression and
 * in loops. Other servers refuse them, and the connection goes on.
 */
class NewerCommandsContractTest {

  private static final StringCodec UTF8 = StringCodec.UTF8;
  private static final String LARGE = "large ".repeat(2_000);

  /** In one slot. */
  private static final List<String> KEYS = IntStream.range(0, 5).mapToObj(i -> "{k}" + i).toList();

  @ForEachServer
  void setIfEqual_comparesAndStoresAsSetDoes(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      sheaf.sync().set("k", "one");
      if (!has(server, "commandlog") && !has(server, "delex")) {
        refused(sheaf, () -> setIfEqual(sheaf, "k", "one", LARGE), "syntax error");
        return;
      }
      assertThat(setIfEqual(sheaf, "k", "another", LARGE)).isNull();
      assertThat(sheaf.sync().get("k")).isEqualTo("one");
      assertThat(setIfEqual(sheaf, "k", "one", LARGE)).isEqualTo("OK");
      assertThat(sheaf.sync().get("k")).isEqualTo(LARGE);
      assertThat(stored(server, "k")).isLessThan(LARGE.length());
      // It may be stored compressed, and would never be equal.
      assertThatThrownBy(() -> setIfEqual(sheaf, "k", LARGE, "two"))
          .isInstanceOf(CompressionRefusedException.class);
      seenInALoop(sheaf, "new", () -> setIfEqual(sheaf, KEYS.get(4), KEYS.get(4), "new"));
    }
  }

  @ForEachServer
  void setOfManyWithATimeToLive_storesAsSetDoes(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      if (!has(server, "msetex")) {
        refused(sheaf, () -> setMany(sheaf, "{k}a", "one", "{k}b", LARGE), "unknown command");
        return;
      }
      assertThat(setMany(sheaf, "{k}a", "one", "{k}b", LARGE)).isEqualTo(1);
      assertThat(sheaf.getAll(List.of("{k}a", "{k}b")))
          .isEqualTo(Map.of("{k}a", new Result.Value<>("one"), "{k}b", new Result.Value<>(LARGE)));
      assertThat(stored(server, "{k}b")).isLessThan(LARGE.length());
      assertThat(sheaf.sync().ttl("{k}b")).isBetween(900L, 1_000L);
      seenInALoop(sheaf, "new", () -> setMany(sheaf, KEYS.get(3), KEYS.get(3), KEYS.get(4), "new"));
    }
  }

  @ForEachServer
  void deletionIfEqual_comparesWithWhatIsStored(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      sheaf.sync().set("k", "one");
      if (!has(server, "delifeq")) {
        refused(
            sheaf, () -> number(sheaf, "DELIFEQ", args("k").addValue("one")), "unknown command");
        return;
      }
      assertThat(number(sheaf, "DELIFEQ", args("k").addValue("another"))).isZero();
      assertThat(number(sheaf, "DELIFEQ", args("k").addValue("one"))).isEqualTo(1);
      assertThat(sheaf.sync().get("k")).isNull();
      assertThatThrownBy(() -> number(sheaf, "DELIFEQ", args("k").addValue(LARGE)))
          .isInstanceOf(CompressionRefusedException.class);
      String last = KEYS.get(4);
      seenInALoop(sheaf, null, () -> number(sheaf, "DELIFEQ", args(last).addValue(last)));
    }
  }

  @ForEachServer
  void deletionByConditionAndDigest_workAsTheirServersSay(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      sheaf.sync().set("k", "one");
      CommandArgs<String, String> ifEqual = args("k").add("IFEQ").addValue("one");
      if (!has(server, "delex")) {
        refused(sheaf, () -> number(sheaf, "DELEX", ifEqual), "unknown command");
        refused(sheaf, () -> text(sheaf, "DIGEST", args("k")), "unknown command");
        return;
      }
      assertThat(text(sheaf, "DIGEST", args("k"))).hasSize(16);
      assertThat(number(sheaf, "DELEX", ifEqual)).isEqualTo(1);
      assertThat(sheaf.sync().get("k")).isNull();
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void statisticsOfSlots_areAnsweredByANode(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      CommandArgs<String, String> busiest =
          new CommandArgs<>(UTF8)
              .add("SLOT-STATS")
              .add("ORDERBY")
              .add("KEY-COUNT")
              .add("LIMIT")
              .add(1);
      ThrowingCallable call =
          () ->
              assertThat(send(sheaf, "CLUSTER", new NestedMultiOutput<>(UTF8), busiest))
                  .singleElement()
                  .asString()
                  .contains("key-count");
      if (has(server, "cluster|slot-stats")) {
        assertThat(catchThrowable(call)).isNull();
      } else {
        refused(sheaf, call, "SLOT-STATS");
      }
    }
  }

  /** The last key of a loop, which has been read ahead, is written before it is read. */
  private static void seenInALoop(Sheaf<String, String> sheaf, String expected, Runnable write) {
    KEYS.forEach(key -> sheaf.sync().set(key, key));
    List<String> read = new ArrayList<>();
    for (String key : sheaf.loop(KEYS)) {
      if (read.size() == 1) {
        write.run();
      }
      read.add(sheaf.sync().get(key));
    }
    List<String> all = new ArrayList<>(KEYS);
    all.set(4, expected);
    assertThat(read).isEqualTo(all);
  }

  private static void refused(Sheaf<String, String> sheaf, ThrowingCallable call, String word) {
    assertThatThrownBy(call)
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessageContainingAll("ERR", word);
    sheaf.sync().set("after", "an error");
    assertThat(sheaf.sync().get("after")).isEqualTo("an error");
  }

  private static String setIfEqual(
      Sheaf<String, String> sheaf, String key, String compared, String value) {
    return text(sheaf, "SET", args(key).addValue(value).add("IFEQ").addValue(compared));
  }

  private static Long setMany(Sheaf<String, String> sheaf, String... keysAndValues) {
    CommandArgs<String, String> args = new CommandArgs<>(UTF8).add(keysAndValues.length / 2);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      args.addKey(keysAndValues[i]).addValue(keysAndValues[i + 1]);
    }
    return number(sheaf, "MSETEX", args.add("EX").add(1_000));
  }

  private static CommandArgs<String, String> args(String key) {
    return new CommandArgs<>(UTF8).addKey(key);
  }

  private static String text(
      Sheaf<String, String> sheaf, String name, CommandArgs<String, String> args) {
    return send(sheaf, name, new StatusOutput<>(UTF8), args);
  }

  private static Long number(
      Sheaf<String, String> sheaf, String name, CommandArgs<String, String> args) {
    return send(sheaf, name, new IntegerOutput<>(UTF8), args);
  }

  private static <T> T send(
      Sheaf<String, String> sheaf,
      String name,
      CommandOutput<String, String, T> output,
      CommandArgs<String, String> args) {
    return sheaf.sync().dispatch(new Named(name), output, args);
  }

  private record Named(String command) implements ProtocolKeyword {

    @Override
    public byte[] getBytes() {
      return command.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
      return command;
    }
  }

  private static boolean has(ServerUnderTest server, String command) {
    return ((List<?>) server.command("COMMAND", "INFO", command)).get(0) instanceof List<?>;
  }

  /** How many bytes are stored. */
  private static int stored(ServerUnderTest server, String key) {
    return server.primaries().stream()
        .mapToInt(
            node -> {
              try {
                return Integer.parseInt(String.valueOf(server.command(node, "STRLEN", key)));
              } catch (RuntimeException moved) {
                return 0;
              }
            })
        .sum();
  }

  private static Sheaf<String, String> compressing(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect();
  }
}
