// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same commands to this server and to a real one, the replies compared byte for byte. */
@Tag("slow")
class DifferentialIT {

  private static final int MOST_AGAIN = 5;

  @ParameterizedTest
  @CsvSource({
    "REDIS_7_0, 2",
    "REDIS_7_0, 3",
    "REDIS_8_0, 2",
    "REDIS_8_0, 3",
    "VALKEY_8_1, 2",
    "VALKEY_8_1, 3"
  })
  void everyCommandOfTheList_answersAsRedis(Version version, int protocol, @TempDir Path folder)
      throws Exception {
    try (RedisProcess redis = RedisProcess.start(version, folder);
        EmbeddedServer server = EmbeddedServer.builder().version(version).start();
        RawConnection theirs = new RawConnection(redis.port());
        RawConnection ours = new RawConnection(server.port())) {
      theirs.call("HELLO", "" + protocol);
      ours.call("HELLO", "" + protocol);
      assertThat(differences(commands(version), theirs, ours)).isEmpty();
    }
  }

  /**
   * If a second ends between the two replies, one of them counts one more. Then all are compared
   * again, early in the next second. At the usual hz of 10, the second of Redis ends up to 100 ms
   * late.
   */
  @ParameterizedTest
  @EnumSource(names = {"REDIS_7_0", "REDIS_8_0", "VALKEY_8_1"})
  void commandsThatCountSeconds_answerAsRedis(Version version, @TempDir Path folder)
      throws Exception {
    try (RedisProcess redis = RedisProcess.start(version, folder, "--hz", "500");
        EmbeddedServer server = EmbeddedServer.builder().version(version).start();
        RawConnection theirs = new RawConnection(redis.port());
        RawConnection ours = new RawConnection(server.port())) {
      List<String> differences = differences(lines("seconds.txt"), theirs, ours);
      for (int again = 0; again < MOST_AGAIN && !differences.isEmpty(); again++) {
        differences = differences(lines("seconds.txt"), theirs, ours);
      }
      assertThat(differences).isEmpty();
    }
  }

  private static List<String> differences(
      List<String> lines, RawConnection theirs, RawConnection ours) throws Exception {
    List<String> differences = new ArrayList<>();
    for (String line : lines) {
      char mode = line.charAt(0);
      String command = mode == '~' || mode == '?' ? line.substring(1) : line;
      byte[] inline = RawConnection.latin(command + "\r\n");
      theirs.send(inline);
      ours.send(inline);
      compare(mode, command, theirs.read(), ours.read(), differences);
    }
    return differences;
  }

  /** Those for every server, and what only newer ones have. */
  private static List<String> commands(Version version) throws Exception {
    List<String> commands = new ArrayList<>(lines("commands.txt"));
    if (version != Version.REDIS_7_0) {
      commands.addAll(lines("newer.txt"));
      commands.addAll(lines(version + ".txt"));
    }
    return commands;
  }

  private static List<String> lines(String file) throws Exception {
    try (InputStream in = DifferentialIT.class.getResourceAsStream("/differential/" + file)) {
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

  private static String shown(String reply) {
    return reply.replace("\r\n", "\\r\\n");
  }

  /** How many random commands, all seeds together; more with this property. */
  private static final int RANDOM_COMMANDS = Integer.getInteger("sheaf.differential", 100_000);

  /** Commands sent before their replies are read. */
  private static final int BATCH = 200;

  private static final int MAX_DIFFERENCES = 10;
  private static final long MOMENT_SECONDS = 5;
  private static final int SHOWN_BEFORE = 60;
  private static final int SHOWN_REPLY = 400;
  private static final int MAX_HISTORY = 10_000;

  @ParameterizedTest
  @CsvSource({
    "REDIS_7_0, 2, 1",
    "REDIS_7_0, 3, 2",
    "REDIS_7_0, 2, 3",
    "REDIS_7_0, 3, 4",
    "REDIS_8_0, 2, 5",
    "REDIS_8_0, 3, 6",
    "VALKEY_8_1, 2, 7",
    "VALKEY_8_1, 3, 8"
  })
  void randomCommands_answerAsRedis(
      Version version, int protocol, long offset, @TempDir Path folder) throws Exception {
    long seed = Long.getLong("sheaf.differential.seed", 0L) * 10 + offset;
    System.out.println("random commands: " + version + ", seed " + seed + ", RESP" + protocol);
    List<String> differences = new ArrayList<>();
    RandomCommands commands = new RandomCommands(seed, version);
    try (RedisProcess redis = RedisProcess.start(version, folder, "--hz", "500");
        EmbeddedServer server = EmbeddedServer.builder().version(version).start();
        RawConnection theirs = new RawConnection(redis.port());
        RawConnection ours = new RawConnection(server.port())) {
      theirs.call("HELLO", "" + protocol);
      ours.call("HELLO", "" + protocol);
      List<List<String>> sent = new ArrayList<>();
      for (int i = 0; i < RANDOM_COMMANDS / 4 && differences.size() < MAX_DIFFERENCES; ) {
        List<List<String>> batch = new ArrayList<>();
        while (batch.size() < BATCH) {
          batch.add(commands.next());
          i++;
        }
        sent.addAll(batch);
        if (!sameReplies(batch, sent, theirs, ours, differences)) {
          for (String reset : List.of("DISCARD", "FLUSHALL")) {
            theirs.call(reset);
            ours.call(reset);
          }
          sent.clear();
        } else if (sent.size() > 2 * MAX_HISTORY) {
          sent.subList(0, MAX_HISTORY).clear();
        }
      }
    }
    assertThat(differences).as("seed " + seed).isEmpty();
  }

  /**
   * Values of PFADD that SETRANGE and APPEND have broken, and then every command on them. One value
   * in some thousands has Redis read behind its end, which is listed as a difference; none here.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void brokenHyperLogLogs_answerAsRedis(long seed, @TempDir Path folder) throws Exception {
    Random random = new Random(seed);
    List<String> differences = new ArrayList<>();
    try (RedisProcess redis = RedisProcess.start(folder);
        EmbeddedServer server = EmbeddedServer.start();
        RawConnection theirs = new RawConnection(redis.port());
        RawConnection ours = new RawConnection(server.port())) {
      for (int round = 0; round < BROKEN_VALUES && differences.size() < MAX_DIFFERENCES; round++) {
        List<List<String>> batch = new ArrayList<>();
        batch.add(List.of("DEL", "hll0", "hll1", "hll2"));
        batch.add(added(random, "hll0"));
        batch.add(added(random, "hll1"));
        batch.add(broken(random));
        for (int i = 0; i < 6; i++) {
          batch.add(
              switch (random.nextInt(6)) {
                case 0 -> added(random, "hll0");
                case 1 -> List.of("PFCOUNT", "hll0");
                case 2 -> List.of("PFCOUNT", "hll1", "hll0");
                case 3 -> List.of("PFMERGE", "hll" + random.nextInt(3), "hll0", "hll1");
                case 4 -> List.of("PFDEBUG", random.nextBoolean() ? "DECODE" : "GETREG", "hll0");
                default -> broken(random);
              });
        }
        batch.addAll(List.of(List.of("GET", "hll0"), List.of("GET", "hll2")));
        sameReplies(batch, new ArrayList<>(batch), theirs, ours, differences);
      }
    }
    assertThat(differences).as("seed " + seed).isEmpty();
  }

  private static final int BROKEN_VALUES = 2_000;

  private static List<String> added(Random random, String key) {
    List<String> words = new ArrayList<>(List.of("PFADD", key));
    for (int i = random.nextInt(40); i >= 0; i--) {
      words.add("" + random.nextInt(1_000_000));
    }
    return words;
  }

  private static List<String> broken(Random random) {
    StringBuilder bytes = new StringBuilder();
    for (int i = random.nextInt(3); i >= 0; i--) {
      bytes.append((char) random.nextInt(256));
    }
    return random.nextInt(3) == 0
        ? List.of("APPEND", "hll0", bytes.toString())
        : List.of("SETRANGE", "hll0", "" + random.nextInt(60), bytes.toString());
  }

  /** Time passes between the two; that a key has no time to live, or is not there, is exact. */
  private static boolean isNear(String ours, String theirs, long most) {
    if (!ours.startsWith(":") || !theirs.startsWith(":")) {
      return ours.equals(theirs);
    }
    long one = Long.parseLong(ours.substring(1).strip());
    long other = Long.parseLong(theirs.substring(1).strip());
    return one < 0 || other < 0 ? one == other : Math.abs(one - other) <= most;
  }

  private static boolean sameReplies(
      List<List<String>> batch,
      List<List<String>> sent,
      RawConnection theirs,
      RawConnection ours,
      List<String> differences)
      throws Exception {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    for (List<String> words : batch) {
      bytes.writeBytes(RawConnection.request(RawConnection.args(words.toArray(new String[0]))));
    }
    theirs.send(bytes.toByteArray());
    ours.send(bytes.toByteArray());
    int before = differences.size();
    for (int i = 0; i < batch.size(); i++) {
      List<String> words = batch.get(i);
      String expected = theirs.read();
      String actual = ours.read();
      if (differences.size() == before && !same(words, expected, actual)) {
        int at = sent.size() - batch.size() + i;
        differences.add(
            words
                + firstDifference(comparable(words, expected), comparable(words, actual))
                + history(sent.subList(0, at), words));
      }
    }
    return differences.size() == before;
  }

  /** Times of now, which two servers read a moment apart. */
  private static final Pattern NOW = Pattern.compile(":1[78](\\d{8}|\\d{11})\r");

  /** What is left until the deadlines of these commands. */
  private static final Pattern FAR = Pattern.compile(":9[78](\\d{9}|\\d{12})\r");

  /** How a stream is kept; estimates here. */
  private static final Pattern RADIX_TREE = Pattern.compile("radix-tree-(keys|nodes)\r\n:[0-9]+");

  /** The replies from shortly before they part. */
  private static String firstDifference(String theirs, String ours) {
    int at = 0;
    while (at < Math.min(theirs.length(), ours.length()) && theirs.charAt(at) == ours.charAt(at)) {
      at++;
    }
    int from = Math.max(0, at - SHOWN_BEFORE);
    String cut = from > 0 ? "…" : "";
    return "\n   redis: "
        + cut
        + shown(shortened(theirs.substring(from)))
        + "\n   ours:  "
        + cut
        + shown(shortened(ours.substring(from)));
  }

  private static String shortened(String reply) {
    return reply.substring(0, Math.min(reply.length(), SHOWN_REPLY));
  }

  private static boolean same(List<String> words, String theirReply, String ourReply) {
    String theirs = comparable(words, theirReply);
    String ours = comparable(words, ourReply);
    return switch (words.get(0)) {
      case "SCAN", "HSCAN", "SSCAN", "ZSCAN" ->
          words.contains("0") ? ours.equals(theirs) : ours.charAt(0) == theirs.charAt(0);
      // Redis looks at an errno here that an earlier command may have left.
      case "SORT", "SORT_RO" -> theirs.startsWith("-ERR One or more scores") || ours.equals(theirs);
      // A deadline set a moment ago may be the same or just before.
      case "EXPIRE" -> words.contains("GT") && ours.charAt(0) == ':' || ours.equals(theirs);
      case "TTL" -> isNear(ourReply, theirReply, MOMENT_SECONDS);
      case "PTTL" -> isNear(ourReply, theirReply, MOMENT_SECONDS * 1_000);
      default -> ours.equals(theirs);
    };
  }

  private static String comparable(List<String> words, String reply) {
    String timeless = NOW.matcher(reply).replaceAll(":now\r");
    timeless = FAR.matcher(timeless).replaceAll(":far\r");
    if (words.get(0).equals("XINFO") || words.get(0).equals("EXEC")) {
      timeless = RADIX_TREE.matcher(timeless).replaceAll("radix-tree-$1\r\n:0");
    }
    return RandomCommands.isOrdered(words) ? timeless : RawConnection.sorted(timeless);
  }

  /** The last commands before this one that named one of its keys. */
  private static String history(List<List<String>> sent, List<String> words) {
    List<String> keys =
        words.stream().filter(word -> word.matches("(key|lex|stream|hll|big|place)[0-9]")).toList();
    List<List<String>> named =
        keys.isEmpty()
            ? sent
            : sent.stream().filter(earlier -> earlier.stream().anyMatch(keys::contains)).toList();
    return "\n   after: " + named.subList(Math.max(0, named.size() - 30), named.size());
  }
}
