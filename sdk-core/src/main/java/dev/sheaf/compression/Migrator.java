package dev.sheaf.compression;

import dev.sheaf.Sheaf;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compresses or decompresses the string values that are stored already, where they are. Keys keep
 * their time to live. A value that somebody writes meanwhile is left as it was written.
 *
 * <p>Before compressing, see to it that every client reads compressed values. One migrator runs
 * once, on one thread.
 */
public final class Migrator {

  /** Replaces a value if it still is the one that was read, and keeps its time to live. */
  private static final String REPLACE =
      "local value = redis.call('GET', KEYS[1]) "
          + "if not value or redis.sha1hex(value) ~= ARGV[1] then return 0 end "
          + "local ttl = redis.call('PTTL', KEYS[1]) "
          + "if ttl < 0 then redis.call('SET', KEYS[1], ARGV[2]) "
          + "else redis.call('SET', KEYS[1], ARGV[2], 'PX', math.max(ttl, 1)) end "
          + "return 1";

  private static final String DONE = "done";
  private static final byte[] FIRST_CURSOR = {'0'};

  private final StatefulConnection<?, ?> connection;
  private final MigrationOptions options;
  private final ValueCompression compression;
  private final StoredCommands commands;
  private final Map<String, String> cursors;
  private final long startNanos = System.nanoTime();

  private long keys;
  private long changed;
  private long unchanged;
  private long otherTypes;
  private long conflicts;
  private long unreadable;
  private long bytesBefore;
  private long bytesAfter;

  /** Prepares a migration over a client's connection. */
  public Migrator(Sheaf<?, ?> sheaf, MigrationOptions options) {
    this.connection = sheaf.isCluster() ? sheaf.cluster() : sheaf.standalone();
    this.options = options;
    this.compression = ValueCompression.of(options.compression().withLearning(false));
    this.commands = new StoredCommands(connection);
    this.cursors = parse(options.resumeToken());
  }

  /**
   * Migrates. Blocks until all keys have been looked at; an interrupt ends it between two steps.
   *
   * @return how it ended
   * @throws io.lettuce.core.RedisException if a server fails or does not allow SCAN, GET or EVAL;
   *     what was changed before stays changed
   * @throws IllegalArgumentException if the resume token is none
   */
  public MigrationProgress run() {
    for (Map.Entry<String, StatefulConnection<?, ?>> node : nodes().entrySet()) {
      migrate(node.getKey(), new StoredCommands(node.getValue()));
    }
    return progress();
  }

  private Map<String, StatefulConnection<?, ?>> nodes() {
    Map<String, StatefulConnection<?, ?>> nodes = new LinkedHashMap<>();
    if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
      for (RedisClusterNode node : cluster.getPartitions()) {
        if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
          nodes.put(node.getNodeId(), cluster.getConnection(node.getNodeId()));
        }
      }
    } else {
      nodes.put("server", connection);
    }
    return nodes;
  }

  private void migrate(String node, StoredCommands scanning) {
    String cursor = cursors.getOrDefault(node, "0");
    while (!cursor.equals(DONE)) {
      List<?> reply = (List<?>) notNull(scanning.call(CommandType.SCAN, scan(cursor)));
      String next = new String((byte[]) notNull(reply.get(0)), StandardCharsets.US_ASCII);
      step((List<?>) notNull(reply.get(1)));
      cursor = next.equals("0") ? DONE : next;
      cursors.put(node, cursor);
      options.progress().accept(progress());
      keepPace();
    }
  }

  private static Object notNull(@Nullable Object part) {
    if (part == null) {
      throw new IllegalStateException("The server answered SCAN with a nil");
    }
    return part;
  }

  private CommandArgs<byte[], byte[]> scan(String cursor) {
    return StoredCommands.args()
        .add(cursor.equals("0") ? FIRST_CURSOR : cursor.getBytes(StandardCharsets.US_ASCII))
        .add("MATCH")
        .add(pattern(options.prefix()))
        .add("COUNT")
        .add(options.keysPerStep());
  }

  /** A pattern of exactly the keys with a prefix. */
  static byte[] pattern(String prefix) {
    ByteArrayOutputStream pattern = new ByteArrayOutputStream();
    for (byte b : prefix.getBytes(StandardCharsets.UTF_8)) {
      if (b == '*' || b == '?' || b == '[' || b == ']' || b == '\\' || b == '^') {
        pattern.write('\\');
      }
      pattern.write(b);
    }
    pattern.write('*');
    return pattern.toByteArray();
  }

  private void step(List<?> found) {
    List<Future<Object>> reads = new ArrayList<>();
    for (Object key : found) {
      reads.add(commands.send(CommandType.GET, StoredCommands.key((byte[]) key)));
    }
    List<Future<Object>> writes = new ArrayList<>();
    List<Change> written = new ArrayList<>();
    for (int i = 0; i < reads.size(); i++) {
      keys++;
      byte[] stored = read(reads.get(i));
      Change change = stored == null ? null : change((byte[]) found.get(i), stored);
      if (change != null && options.dryRun()) {
        count(change);
      } else if (change != null) {
        writes.add(commands.send(CommandType.EVAL, change.replace()));
        written.add(change);
      }
    }
    for (int i = 0; i < writes.size(); i++) {
      if (commands.await(writes.get(i)) instanceof Long replaced && replaced == 1) {
        count(written.get(i));
      } else {
        conflicts++;
      }
    }
  }

  private byte @Nullable [] read(Future<Object> read) {
    try {
      // A nil was deleted since it was scanned.
      return commands.await(read) instanceof byte[] stored ? stored : null;
    } catch (RedisCommandExecutionException e) {
      if (String.valueOf(e.getMessage()).startsWith("WRONGTYPE")) {
        otherTypes++;
        return null;
      }
      throw e;
    }
  }

  private @Nullable Change change(byte[] key, byte[] stored) {
    boolean envelope = Envelope.looksLikeOne(stored, 0, stored.length);
    byte[] target = stored;
    try {
      if (options.decompress() && envelope) {
        target = compression.decompress(stored);
        if (Envelope.looksLikeOne(target, 0, target.length)) {
          // As it is, nobody could tell it from an envelope.
          target = stored;
        }
      } else if (!options.decompress() && !envelope) {
        target = compression.compress(key, stored);
      }
    } catch (UnreadableValueException e) {
      unreadable++;
      return null;
    }
    if (target == stored) {
      unchanged++;
      return null;
    }
    return new Change(key, stored, target);
  }

  private void count(Change change) {
    changed++;
    bytesBefore += change.before.length;
    bytesAfter += change.after.length;
  }

  private void keepPace() {
    long dueNanos = startNanos + keys * TimeUnit.SECONDS.toNanos(1) / options.keysPerSecond();
    try {
      TimeUnit.NANOSECONDS.sleep(Math.max(0, dueNanos - System.nanoTime()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }

  private MigrationProgress progress() {
    return new MigrationProgress(
        keys,
        changed,
        unchanged,
        otherTypes,
        conflicts,
        unreadable,
        bytesBefore,
        bytesAfter,
        token());
  }

  private String token() {
    List<String> parts = new ArrayList<>();
    cursors.forEach((node, cursor) -> parts.add(node + "=" + cursor));
    return String.join(",", parts);
  }

  private static Map<String, String> parse(@Nullable String token) {
    Map<String, String> cursors = new LinkedHashMap<>();
    if (token == null || token.isEmpty()) {
      return cursors;
    }
    for (String part : token.split(",")) {
      int equals = part.indexOf('=');
      String cursor = part.substring(equals + 1);
      if (equals < 1 || !cursor.matches(DONE + "|[0-9]+")) {
        throw new IllegalArgumentException(
            "A resume token looks like node=cursor,node=done, but this is \"" + token + "\"");
      }
      cursors.put(part.substring(0, equals), cursor);
    }
    return cursors;
  }

  /** One value to be replaced. */
  private static final class Change {

    private final byte[] key;
    private final byte[] before;
    private final byte[] after;

    Change(byte[] key, byte[] before, byte[] after) {
      this.key = key;
      this.before = before;
      this.after = after;
    }

    CommandArgs<byte[], byte[]> replace() {
      return StoredCommands.args().add(REPLACE).add(1).addKey(key).add(sha1(before)).add(after);
    }

    private static String sha1(byte[] bytes) {
      try {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java has SHA-1", e);
      }
    }
  }
}
