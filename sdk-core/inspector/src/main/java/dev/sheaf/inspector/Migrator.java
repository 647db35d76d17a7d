package dev.sheaf.inspector;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.internal.compression.ValueCodec;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compresses or decompresses the values that are stored already, where they are: strings, values of
 * hashes, and elements of lists. Keys keep their time to live. A value that another client writes
 * meanwhile is left as it was written.
 *
 * <p>Left as they are, and readable, are entries of streams, which cannot be changed; fields of
 * hashes with a time to live of their own, which would be lost; and elements that move within their
 * list while it is migrated. Another run finds those.
 *
 * <p>Before compressing, see to it that every client reads compressed values. One migrator runs
 * once, on one thread.
 */
public final class Migrator {

  private static final String DONE = "done";
  private static final byte[] FIRST_CURSOR = {'0'};

  private final StatefulConnection<?, ?> connection;
  private final MigrationOptions options;
  private final DictionaryService dictionaries;
  private final ValueCompression compression;
  private final StoredCommands commands;
  private final Map<String, String> cursors;
  private final long startNanos = System.nanoTime();

  private long keys;

  /** Fields of hashes and elements of lists that were looked at, which take their time too. */
  private long elements;

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
    CompressionOptions values = options.compression().toBuilder().learning(false).build();
    this.dictionaries = new DictionaryService(values, new DictionaryMeters(null, ""));
    this.compression = ValueCodec.of(values, dictionaries);
    this.commands = new StoredCommands(connection);
    this.cursors = parse(options.resumeToken());
  }

  /**
   * Migrates. Blocks until all keys have been looked at; an interrupt ends it between two steps.
   *
   * @return how it ended
   * @throws io.lettuce.core.RedisException if a server fails or does not allow SCAN, GET, EVAL, and
   *     for hashes and lists TYPE, HSCAN or LRANGE; what was changed before stays changed
   * @throws IllegalArgumentException if the resume token is none
   */
  public MigrationProgress run() {
    dictionaries.attach(
        new DictionaryStore(
            () -> CompletableFuture.completedFuture(connection),
            ForkJoinPool.commonPool(),
            connection.getTimeout()));
    if (options.compression().dictionaries() != null) {
      dictionaries.refresh();
    }
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
      throw new IllegalStateException("The server answered a scan with a nil");
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

  private void step(List<?> scanned) {
    List<?> found = scanned.stream().filter(key -> !isOfDictionaries((byte[]) key)).toList();
    List<Future<Object>> reads = new ArrayList<>();
    for (Object key : found) {
      reads.add(commands.send(CommandType.GET, StoredCommands.key((byte[]) key)));
    }
    List<Replacement> changes = new ArrayList<>();
    List<byte[]> containers = new ArrayList<>();
    for (int i = 0; i < reads.size(); i++) {
      keys++;
      byte[] key = (byte[]) found.get(i);
      try {
        // A nil was deleted since it was scanned.
        if (commands.await(reads.get(i)) instanceof byte[] stored) {
          byte[] target = target(key, stored);
          if (target != stored) {
            changes.add(Replacement.ofString(key, stored, target));
          }
        }
      } catch (RedisCommandExecutionException e) {
        requireWrongType(e);
        containers.add(key);
      }
    }
    apply(changes);
    containers.forEach(this::container);
  }

  /** Those are needed as they are to read anything else. */
  private static boolean isOfDictionaries(byte[] key) {
    byte[] own = DictionaryStore.KEY.getBytes(StandardCharsets.UTF_8);
    return key.length >= own.length && Arrays.equals(key, 0, own.length, own, 0, own.length);
  }

  private static void requireWrongType(RedisCommandExecutionException e) {
    if (!String.valueOf(e.getMessage()).startsWith("WRONGTYPE")) {
      throw e;
    }
  }

  private void container(byte[] key) {
    Object type = commands.call(CommandType.TYPE, StoredCommands.key(key));
    try {
      switch (type instanceof byte[] name ? new String(name, StandardCharsets.US_ASCII) : "") {
        case "hash" -> hash(key);
        case "list" -> list(key);
        default -> otherTypes++;
      }
    } catch (RedisCommandExecutionException e) {
      requireWrongType(e);
      // Another client has put something else in its place.
      conflicts++;
    }
  }

  private void hash(byte[] key) {
    byte[] cursor = FIRST_CURSOR;
    do {
      CommandArgs<byte[], byte[]> scan =
          StoredCommands.key(key).add(cursor).add("COUNT").add(options.keysPerStep());
      List<?> reply = (List<?>) notNull(commands.call(CommandType.HSCAN, scan));
      List<?> pairs = (List<?>) notNull(reply.get(1));
      List<Replacement> changes = new ArrayList<>();
      for (int i = 0; i + 1 < pairs.size(); i += 2) {
        elements++;
        byte[] stored = (byte[]) notNull(pairs.get(i + 1));
        byte[] target = target(key, stored);
        if (target != stored) {
          changes.add(Replacement.ofField(key, (byte[]) notNull(pairs.get(i)), stored, target));
        }
      }
      apply(changes);
      keepPace();
      cursor = (byte[]) notNull(reply.get(0));
    } while (!Arrays.equals(cursor, FIRST_CURSOR));
  }

  private void list(byte[] key) {
    // What is pushed from now on, clients of today store.
    long length = (Long) notNull(commands.call(CommandType.LLEN, StoredCommands.key(key)));
    for (long first = 0; first < length; first += options.keysPerStep()) {
      CommandArgs<byte[], byte[]> range =
          StoredCommands.key(key).add(first).add(first + options.keysPerStep() - 1);
      List<?> found = (List<?>) notNull(commands.call(CommandType.LRANGE, range));
      elements += found.size();
      List<Replacement> changes = new ArrayList<>();
      for (int i = 0; i < found.size(); i++) {
        byte[] stored = (byte[]) notNull(found.get(i));
        byte[] target = target(key, stored);
        if (target != stored) {
          changes.add(Replacement.ofElement(key, first + i, stored, target));
        }
      }
      apply(changes);
      keepPace();
    }
  }

  /** What is to be stored of a value; the same array if it stays. */
  private byte[] target(byte[] key, byte[] stored) {
    boolean envelope = Envelope.looksLikeOne(stored, 0, stored.length);
    byte[] target = stored;
    try {
      boolean usesDictionaries = options.compression().dictionaries() != null;
      int dictionary = !envelope ? 0 : Envelope.dictionaryId(stored, 0, stored.length);
      if (dictionary != 0 && dictionaries.known().isToBeFetched(dictionary)) {
        dictionaries.known().fetch(dictionary).exceptionally(lost -> null).join();
      }
      if (options.decompress() && envelope) {
        target = compression.decompress(stored);
        if (Envelope.looksLikeOne(target, 0, target.length)) {
          // As it is, nobody could tell it from an envelope.
          target = stored;
        }
      } else if (!options.decompress() && !envelope) {
        target = compression.compress(key, stored);
      } else if (!options.decompress() && dictionary == 0 && usesDictionaries) {
        byte[] again = compression.compress(key, compression.decompress(stored));
        // Without a dictionary it comes out as it was.
        target = again.length < stored.length ? again : stored;
      }
    } catch (UnreadableValueException e) {
      unreadable++;
      return stored;
    }
    if (target == stored) {
      unchanged++;
    }
    return target;
  }

  private void apply(List<Replacement> changes) {
    if (options.dryRun()) {
      changes.forEach(this::count);
      return;
    }
    List<Future<Object>> writes = new ArrayList<>();
    for (Replacement change : changes) {
      writes.add(commands.send(CommandType.EVAL, change.call()));
    }
    for (int i = 0; i < writes.size(); i++) {
      long answer = commands.await(writes.get(i)) instanceof Long number ? number : 0;
      if (answer == Replacement.DONE) {
        count(changes.get(i));
      } else if (answer == Replacement.LEFT) {
        unchanged++;
      } else {
        conflicts++;
      }
    }
  }

  private void count(Replacement change) {
    changed++;
    bytesBefore += change.bytesBefore();
    bytesAfter += change.bytesAfter();
  }

  private void keepPace() {
    long dueNanos =
        startNanos + (keys + elements) * TimeUnit.SECONDS.toNanos(1) / options.keysPerSecond();
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
}
