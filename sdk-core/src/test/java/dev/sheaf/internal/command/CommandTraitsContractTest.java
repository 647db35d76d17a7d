// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ReadOnlyCommands;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The table of commands against what servers say of them.
 *
 * <p>What COMMAND answers was recorded for some versions; see {@code resources/commands}. The
 * system property {@code sheaf.command.servers} names folders of further servers, each with {@code
 * bin/redis-server}; what they say is left in {@code target/commands}, and has to be the recording
 * of their version.
 */
class CommandTraitsContractTest {

  private static final List<String> RECORDINGS =
      List.of("redis-7.0", "redis-8.0", "valkey-8.1", "valkey-9.1");

  /** Flagged as reads, though the server's key specifications say that they write. */
  private static final String READ = "readonly";

  @ParameterizedTest
  @ValueSource(strings = {"redis-7.0", "redis-8.0", "valkey-8.1", "valkey-9.1"})
  void tableSaysWhatTheServerSaid(String recording) throws IOException {
    assertThat(contradictions(recorded(recording))).isEmpty();
  }

  @ForEachServer
  void tableSaysWhatTheServerSays(ServerUnderTest server) throws IOException {
    assertThat(contradictions(DescribedCommand.of(server.command("COMMAND")))).isEmpty();
  }

  @Test
  void serversThatAreHere_sayWhatWasRecorded() throws IOException {
    Map<String, List<DescribedCommand>> said = new HashMap<>();
    for (Path file : servers()) {
      try (RealRedis server = RealRedis.builder().executable(file).start()) {
        said.put(
            version(server.command("INFO", "server").toString()),
            DescribedCommand.of(server.command("COMMAND")));
      }
    }
    assumeTrue(!said.isEmpty(), "no redis-server");
    Path folder = Files.createDirectories(Path.of("target", "commands"));
    for (String version : said.keySet()) {
      Files.write(folder.resolve(version + ".txt"), lines(said.get(version)));
    }
    for (String version : said.keySet()) {
      assertThat(contradictions(said.get(version))).as(version).isEmpty();
      if (RECORDINGS.contains(version)) {
        assertThat(lines(said.get(version)))
            .as("what %s says, left in %s, beside the recording", version, folder)
            .isEqualTo(lines(recorded(version)));
      }
    }
  }

  private static List<Path> servers() {
    String folders = System.getProperty("sheaf.command.servers", "");
    return Stream.concat(
            RealRedis.executable().stream(),
            Stream.of(folders.split(File.pathSeparator))
                .filter(Predicate.not(String::isEmpty))
                .map(folder -> Path.of(folder, "bin", "redis-server")))
        .toList();
  }

  private static List<String> lines(List<DescribedCommand> commands) {
    return commands.stream().map(DescribedCommand::toString).toList();
  }

  private static String version(String info) {
    Map<String, String> fields = new HashMap<>();
    info.lines()
        .filter(line -> line.contains(":"))
        .forEach(line -> fields.put(line.split(":", 2)[0], line.split(":", 2)[1].strip()));
    String valkey = fields.get("valkey_version");
    String version = valkey == null ? fields.get("redis_version") : valkey;
    return (valkey == null ? "redis-" : "valkey-") + version.replaceAll("(\\d+\\.\\d+).*", "$1");
  }

  private static List<DescribedCommand> recorded(String name) throws IOException {
    return lines("/commands/" + name + ".txt").map(DescribedCommand::parse).toList();
  }

  private static Stream<String> lines(String resource) throws IOException {
    try (InputStream in = CommandTraitsContractTest.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines();
    }
  }

  private static List<String> contradictions(List<DescribedCommand> commands) throws IOException {
    Map<String, List<String>> keysOfTable = keysOfTable();
    List<String> contradictions = new ArrayList<>();
    boolean describesKeys = commands.stream().anyMatch(command -> !command.keys().isEmpty());
    for (DescribedCommand command : commands) {
      CommandTraits row = CommandTraits.named(command.name());
      if (!row.isKnown()) {
        contradictions.add(command + " is not in the table");
        continue;
      }
      Set<String> flags = command.flags();
      List<String> keys = keysOfTable.get(command.name());
      if (flags.contains("write") && (row.isRead() || row.isRepeatable())) {
        contradictions.add(command + " writes");
      }
      if (flags.contains("may_replicate") && !flags.contains(READ) && row.isRead()) {
        contradictions.add(command + " may write");
      }
      if (flags.contains(READ) && !row.isRead()) {
        contradictions.add(command + " reads only");
      }
      if (flags.contains("blocking") && !row.isBlocking()) {
        contradictions.add(command + " may block");
      }
      if (describesKeys && !keysAgree(command, keys)) {
        contradictions.add(command + " has not the keys " + keys);
      }
    }
    return contradictions;
  }

  /** The table may take a read for a write, and know of more keys than the server names. */
  private static boolean keysAgree(DescribedCommand command, List<String> ofTable) {
    List<String> named = new ArrayList<>(ofTable);
    for (String key : command.keys()) {
      boolean found =
          command.flags().contains(READ)
              ? named.remove("r" + key.substring(1))
              : named.remove(key) || named.remove("w" + key.substring(1));
      if (!found) {
        return false;
      }
    }
    return named.stream().allMatch(key -> key.endsWith("?") || key.endsWith("*"));
  }

  private static Map<String, List<String>> keysOfTable() throws IOException {
    Map<String, List<String>> keys = new HashMap<>();
    lines("/dev/sheaf/internal/command/commands.txt")
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.trim().split(" +"))
        .forEach(
            words ->
                keys.put(
                    words[0],
                    Stream.of(words)
                        .skip(2)
                        .filter(word -> word.matches("[rw][^a-z].*"))
                        .toList()));
    return keys;
  }

  @Test
  void everyCommandOfLettuce_isInTheTable() {
    assertThat(CommandType.values())
        .allMatch(type -> CommandTraits.of(type).isKnown())
        .allMatch(type -> CommandTraits.of(type).name().equals(type.toString()));
  }

  /** Lettuce has no rows for subcommands, so it takes containers as a whole. */
  @Test
  void whatLettuceSendsToReplicas_isARead() {
    Set<CommandType> states =
        Set.of(CommandType.READWRITE, CommandType.ASKING, CommandType.CLIENT, CommandType.SCRIPT);
    assertThat(ReadOnlyCommands.getReadOnlyCommands())
        .filteredOn(type -> !states.contains(type))
        .allMatch(type -> CommandTraits.of(type).isRead());
  }

  @Test
  void blockingCommands_areSaidToBlockByAServer() throws IOException {
    List<String> blocking = new ArrayList<>(List.of("BLMOVEM"));
    for (String recording : RECORDINGS) {
      recorded(recording).stream()
          .filter(command -> command.flags().contains("blocking"))
          .forEach(command -> blocking.add(command.name()));
    }
    assertThat(CommandTraits.all())
        .filteredOn(CommandTraits::isBlocking)
        .allMatch(row -> blocking.contains(row.name()));
  }

  @Test
  void pureReads_areSentAgain() {
    assertThat(Stream.of("ZDIFF", "ZINTER", "ZUNION", "ZMSCORE", "LCS", "OBJECT|ENCODING", "PING"))
        .map(CommandTraits::named)
        .allMatch(CommandTraits::isRepeatable)
        .allMatch(CommandTraits::writesNothing);
  }

  @Test
  void whatActsOnTheServer_isNotSentAgain() {
    assertThat(
            Stream.of(
                "SCRIPT FLUSH",
                "CLIENT KILL",
                "client pause",
                "CLIENT TOMORROW",
                "CONFIG SET",
                "PUBLISH",
                "WAIT",
                "MULTI",
                "TOMORROW"))
        .map(CommandTraitsContractTest::traitsOf)
        .noneMatch(CommandTraits::isRepeatable);
    assertThat(
            Stream.of(
                "SCRIPT LOAD", "CLIENT ID", "client setname", "CONFIG GET", "ASKING", "SELECT"))
        .map(CommandTraitsContractTest::traitsOf)
        .allMatch(CommandTraits::isRepeatable);
  }

  @Test
  void unknownCommand_mayWriteAnything() {
    CommandTraits unknown = traitsOf("TOMORROW k");
    assertThat(unknown.isKnown()).isFalse();
    assertThat(unknown.writesNothing()).isFalse();
    assertThat(written("TOMORROW k v")).containsExactly("k", "v");
    assertThat(WriteClock.writtenBy(outgoing("TOMORROW k v"))).isEqualTo(WriteClock.EVERYTHING);
  }

  @Test
  void commandOfTheApplicationsOwnType_isKnownByItsName() {
    assertThat(CommandTraits.of(own("hset"))).isSameAs(CommandTraits.of(CommandType.HSET));
  }

  static Stream<String> writes() {
    return Stream.of(
        "SET k* v",
        "DEL k* l*",
        "MSET k* v l* w",
        "MSETEX 2 k* v l* w EX 10",
        "BLPOP k* l* 0",
        "LMOVE k* l* LEFT RIGHT",
        "COPY k l*",
        "BITOP AND k* l m",
        "ZUNIONSTORE k* 2 l m WEIGHTS 1 2",
        "LMPOP 2 k* l* LEFT",
        "BLMPOP 0 2 k* l* LEFT",
        "XREADGROUP GROUP STREAMS c STREAMS k* l* 0 0",
        "GEORADIUSBYMEMBER k STORE 1 m STORE l*",
        "GEORADIUS k 1 1 1 m",
        "MIGRATE h 1 j* 0 1 KEYS k* l*",
        "XGROUP CREATE k* g 0",
        "JSON.MSET k* p v l* p v",
        "CMS.MERGE k* 2 l m",
        "EVAL script* 1* k* a*",
        "FCALL_RO f 1 k a",
        "SORT k* STORE* l*",
        "MGET k l",
        "PFCOUNT k l",
        "XREAD STREAMS k l 0 0",
        "ZUNION 9 k l",
        "SET",
        "MSET k*",
        "LMPOP many k LEFT",
        "PUBLISH k m");
  }

  @ParameterizedTest
  @MethodSource("writes")
  void writtenKeysAreFoundAmongTheArguments(String command) {
    assertThat(written(command.replace("*", "")))
        .isEqualTo(
            Stream.of(command.split(" "))
                .filter(word -> word.endsWith("*"))
                .map(word -> word.substring(0, word.length() - 1))
                .toList());
  }

  @Test
  void cellOfAWrite_isThatOfItsOneKey() {
    int k = WriteClock.cell(new byte[] {'k'}, 0, 1);
    assertThat(WriteClock.writtenBy(outgoing("SET k v"))).isEqualTo(k);
    assertThat(WriteClock.writtenBy(outgoing("COPY l k"))).isEqualTo(k);
    assertThat(WriteClock.writtenBy(outgoing("DEL k"))).isEqualTo(k);
    assertThat(WriteClock.writtenBy(outgoing("DEL k l"))).isEqualTo(WriteClock.EVERYTHING);
    assertThat(WriteClock.writtenBy(outgoing("SELECT 1"))).isEqualTo(WriteClock.EVERYTHING);
    assertThat(WriteClock.writtenBy(outgoing("SET"))).isEqualTo(WriteClock.EVERYTHING);
    assertThat(WriteClock.writtenBy(outgoing("GET k"))).isEqualTo(WriteClock.NOTHING);
    assertThat(WriteClock.writtenBy(outgoing("CLIENT ID"))).isEqualTo(WriteClock.NOTHING);
  }

  private static List<String> written(String command) {
    List<String> keys = new ArrayList<>();
    EncodedCommand<?, ?, ?> outgoing = outgoing(command);
    byte[] bytes = outgoing.request();
    outgoing
        .traits()
        .forEachWrittenKey(
            bytes,
            (start, end) -> {
              int from = RespRequest.contentStart(bytes, start);
              keys.add(new String(bytes, from, end - 2 - from, StandardCharsets.UTF_8));
            });
    return keys;
  }

  /** A subcommand that is not listed has the row of its container, a listed one its own. */
  @Test
  void subcommandsOfClient_changeTheStateOfTheirConnection_unlessTheyAreKnownNotTo() {
    List<String> harmless =
        CommandTraits.all().stream()
            .filter(row -> row.name().startsWith("CLIENT") && !row.changesState())
            .map(row -> row.name().replaceFirst("CLIENT.", ""))
            .toList();
    assertThat(harmless)
        .containsExactlyInAnyOrder(
            "GETNAME",
            "GETREDIR",
            "HELP",
            "ID",
            "INFO",
            "KILL",
            "LIST",
            "PAUSE",
            "SETINFO",
            "SETNAME",
            "TRACKINGINFO",
            "UNBLOCK",
            "UNPAUSE");
    assertThat(CommandTraits.named("CLIENT").changesState()).as("those not listed").isTrue();
    assertThat(CommandTraits.named("SELECT").changesState()).isTrue();
    assertThat(CommandTraits.named("GET").changesState()).isFalse();
  }

  private static CommandTraits traitsOf(String command) {
    return outgoing(command).traits();
  }

  private static EncodedCommand<?, ?, ?> outgoing(String command) {
    String[] words = command.split(" ");
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (int i = 1; i < words.length; i++) {
      args.add(words[i]);
    }
    ProtocolKeyword type =
        Optional.<ProtocolKeyword>empty()
            .or(
                () ->
                    Stream.of(CommandType.values())
                        .filter(known -> known.toString().equalsIgnoreCase(words[0]))
                        .findFirst())
            .orElseGet(() -> own(words[0]));
    return EncodedCommand.encode(
        new Command<>(type, new StatusOutput<>(StringCodec.UTF8), args), false);
  }

  private static ProtocolKeyword own(String name) {
    return new ProtocolKeyword() {
      @Override
      public byte[] getBytes() {
        return name.getBytes(StandardCharsets.US_ASCII);
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }
}
