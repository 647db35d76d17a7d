// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.internal.compression.ValueCodec;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Compresses or decompresses stored values in place: strings, values of hashes, and elements of
 * lists. Keys keep their time to live. A value that another client writes meanwhile is kept.
 *
 * <p>Skipped, but readable, are entries of streams, which cannot be changed; fields of hashes with
 * a time to live of their own, which would be lost; and elements that move within their list during
 * the migration. Another run finds those.
 *
 * <p>Before compressing, make sure that every client can read compressed values. A migrator runs
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
  private final KeyScan scan;

  private long keys;

  /** The number of processed fields and elements, which count for the rate limit, too. */
  private long elements;

  private long changed;
  private long unchanged;
  private long otherTypes;
  private long conflicts;
  private long unreadable;
  private long bytesBefore;
  private long bytesAfter;

  /** Creates a migrator that uses a client's connection. */
  public Migrator(Sheaf<?, ?> sheaf, MigrationOptions options) {
    this(sheaf, options, System::nanoTime);
  }

  /**
   * Creates a migrator.
   *
   * @param nanoTime the clock of leases
   */
  Migrator(Sheaf<?, ?> sheaf, MigrationOptions options, LongSupplier nanoTime) {
    this.connection = sheaf.isCluster() ? sheaf.cluster() : sheaf.standalone();
    this.options = options;
    this.dictionaries =
        new DictionaryService(options.compression(), new DictionaryMeters(null, ""), nanoTime);
    this.compression = ValueCodec.of(options.compression(), dictionaries);
    this.commands = new StoredCommands(connection);
    this.cursors = parse(options.resumeToken());
    this.scan =
        new KeyScan(connection, options.prefix(), options.keysPerSecond(), options.keysPerStep());
  }

  /**
   * Runs the migration. Blocks until all keys have been processed. An interrupt stops it between
   * two steps.
   *
   * @return the final progress
   * @throws io.lettuce.core.RedisException if a server fails or does not allow SCAN, GET, EVAL, and
   *     for hashes and lists TYPE, HSCAN or LRANGE; what was changed before stays changed
   * @throws IllegalArgumentException if the resume token is malformed
   */
  public MigrationProgress run() {
    dictionaries.attach(
        new DictionaryStore(
            () -> CompletableFuture.completedFuture(connection),
            ForkJoinPool.commonPool(),
            connection.getTimeout()));
    if (options.dryRun()) {
      dictionaries.rehearse();
    }
    scan.nodes().forEach(this::migrate);
    return progress();
  }

  private void migrate(String node, StoredCommands scanning) {
    String cursor = cursors.getOrDefault(node, KeyScan.BEGINNING);
    while (!cursor.equals(DONE)) {
      if (options.compression().dictionaries() != null && !options.dryRun()) {
        dictionaries.refreshIfDue();
      }
      KeyScan.Step found = scan.step(scanning, cursor);
      step(found.keys());
      cursor = found.next().equals(KeyScan.BEGINNING) ? DONE : found.next();
      cursors.put(node, cursor);
      options.progress().accept(progress());
      keepPace();
    }
  }

  private void step(List<byte[]> found) {
    List<Future<Object>> reads = new ArrayList<>();
    for (byte[] key : found) {
      reads.add(commands.send(CommandType.GET, StoredCommands.key(key)));
    }
    List<Replacement> changes = new ArrayList<>();
    List<byte[]> containers = new ArrayList<>();
    for (int i = 0; i < reads.size(); i++) {
      keys++;
      byte[] key = found.get(i);
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

  static void requireWrongType(RedisCommandExecutionException e) {
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
      // Another client has replaced it.
      conflicts++;
    }
  }

  private void hash(byte[] key) {
    byte[] cursor = FIRST_CURSOR;
    do {
      CommandArgs<byte[], byte[]> scan =
          StoredCommands.key(key).add(cursor).add("COUNT").add(options.keysPerStep());
      List<?> reply = (List<?>) KeyScan.notNull(commands.call(CommandType.HSCAN, scan));
      List<?> pairs = (List<?>) KeyScan.notNull(reply.get(1));
      List<Replacement> changes = new ArrayList<>();
      for (int i = 0; i + 1 < pairs.size(); i += 2) {
        elements++;
        byte[] stored = (byte[]) KeyScan.notNull(pairs.get(i + 1));
        byte[] target = target(key, stored);
        if (target != stored) {
          changes.add(
              Replacement.ofField(key, (byte[]) KeyScan.notNull(pairs.get(i)), stored, target));
        }
      }
      apply(changes);
      keepPace();
      cursor = (byte[]) KeyScan.notNull(reply.get(0));
    } while (!Arrays.equals(cursor, FIRST_CURSOR));
  }

  private void list(byte[] key) {
    // Clients of this version compress what is pushed from now on.
    long length = (Long) KeyScan.notNull(commands.call(CommandType.LLEN, StoredCommands.key(key)));
    for (long first = 0; first < length; first += options.keysPerStep()) {
      CommandArgs<byte[], byte[]> range =
          StoredCommands.key(key).add(first).add(first + options.keysPerStep() - 1);
      List<?> found = (List<?>) KeyScan.notNull(commands.call(CommandType.LRANGE, range));
      elements += found.size();
      List<Replacement> changes = new ArrayList<>();
      for (int i = 0; i < found.size(); i++) {
        byte[] stored = (byte[]) KeyScan.notNull(found.get(i));
        byte[] target = target(key, stored);
        if (target != stored) {
          changes.add(Replacement.ofElement(key, first + i, stored, target));
        }
      }
      apply(changes);
      keepPace();
    }
  }

  /** Returns the form to store a value in; the same array if it does not change. */
  private byte[] target(byte[] key, byte[] stored) {
    boolean envelope = Envelope.looksLikeOne(stored, 0, stored.length);
    byte[] target = stored;
    try {
      boolean usesDictionaries = options.compression().dictionaries() != null;
      int dictionary = !envelope ? 0 : Envelope.dictionaryId(stored, stored.length);
      if (dictionary != 0 && dictionaries.known().isToBeFetched(dictionary)) {
        dictionaries.known().fetch(dictionary).exceptionally(lost -> null).join();
      }
      if (options.decompress() && envelope) {
        target = compression.decompress(stored);
        if (Envelope.looksLikeOne(target, 0, target.length)) {
          // Uncompressed, it could not be told from an envelope.
          target = stored;
        }
      } else if (!options.decompress() && !envelope) {
        target = compression.compress(key, stored);
      } else if (!options.decompress() && dictionary == 0 && usesDictionaries) {
        byte[] again = compression.compress(key, compression.decompress(stored));
        // Without a dictionary the result is the same.
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
    scan.keepPace(keys + elements);
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
    for (String part : token.split(",", -1)) {
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
