package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same commands to this server and to a real one, the replies compared byte for byte. */
class DifferentialIT {
  private static final int RANDOM_COMMANDS = 6000;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyCommandOfTheList_answersAsRedis(int protocol, @TempDir Path folder) throws Exception {
    List<String> differences = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start(folder);
        EmbeddedServer server = EmbeddedServer.start();
        RawConnection theirs = new RawConnection(redis.port());
        RawConnection ours = new RawConnection(server.port())) {
      theirs.call("HELLO", "" + protocol);
      ours.call("HELLO", "" + protocol);
      for (String line : commands()) {
        char mode = line.charAt(0);
        String command = mode == '~' || mode == '?' ? line.substring(1) : line;
        byte[] inline = RawConnection.latin(command + "\r\n");
        theirs.send(inline);
        ours.send(inline);
        compare(mode, command, theirs.read(), ours.read(), differences);
      }
    }
    assertThat(differences).isEmpty();
  }

  private static List<String> commands() throws Exception {
    try (InputStream in = DifferentialIT.class.getResourceAsStream("/differential/commands.txt")) {
      String text =
          new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }
  }

  private static void compare(
      char mode, String command, String theirs, String ours, List<String> differences) {
    boolean same =
        switch (mode) {
          case '~' -> RawConnection.sorted(ours).equals(RawConnection.sorted(theirs));
          case '?' -> ours.charAt(0) == theirs.charAt(0);
          default -> ours.equals(theirs);
        };
    if (!same) {
      differences.add(command + "\n   redis: " + shown(theirs) + "\n   ours:  " + shown(ours));
    }
  }

  /** The last commands before this one that named its first key. */
  private static String history(List<List<String>> sent, List<String> words) {
    String key = words.stream().filter(word -> word.startsWith("key")).findFirst().orElse("key");
    List<List<String>> named = sent.stream().filter(earlier -> earlier.contains(key)).toList();
    return "\n   after: " + named.subList(Math.max(0, named.size() - 25), named.size());
  }

  private static String shown(String reply) {
    return reply.replace("\r\n", "\\r\\n");
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "3, 2", "2, 3", "3, 4"})
  void randomCommands_answerAsRedis(int protocol, long seed, @TempDir Path folder)
      throws Exception {
    List<String> differences = new ArrayList<>();
    RandomCommands commands = new RandomCommands(seed);
    List<List<String>> sent = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start(folder);
        EmbeddedServer server = EmbeddedServer.start();
        RawConnection theirs = new RawConnection(redis.port());
        RawConnection ours = new RawConnection(server.port())) {
      theirs.call("HELLO", "" + protocol);
      ours.call("HELLO", "" + protocol);
      for (int i = 0; i < RANDOM_COMMANDS && differences.size() < 10; i++) {
        List<String> words = commands.next();
        sent.add(words);
        byte[] request = RawConnection.request(RawConnection.args(words.toArray(new String[0])));
        theirs.send(request);
        ours.send(request);
        compare(
            commands.isOrdered(words) ? ' ' : '~',
            "#" + i + " " + words + history(sent, words),
            theirs.read(),
            ours.read(),
            differences);
      }
    }
    assertThat(differences).as("seed " + seed).isEmpty();
  }
}
