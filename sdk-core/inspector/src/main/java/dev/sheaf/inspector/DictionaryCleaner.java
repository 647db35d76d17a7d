// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Removes trained dictionaries that are no longer needed: those that are not current for a prefix,
 * that no client has used for some time, and that no value refers to. It scans all keys of the
 * server, or of all primaries of a cluster: strings, values of hashes, elements of lists and
 * entries of streams.
 *
 * <p>A dictionary that a client starts to use meanwhile is kept. Nothing is removed if the scan may
 * have missed a value: because a command ran that moves values, a node was restarted or replaced,
 * or a list is too long to be scanned in one step. Values that other programs copy byte by byte
 * during the scan are not noticed.
 *
 * <p>A cleaner runs once, on one thread.
 */
public final class DictionaryCleaner {

  /** These commands move stored bytes to another key, which the scan may have passed. */
  private static final Set<String> MOVING =
      Set.of(
          "rename",
          "renamenx",
          "copy",
          "move",
          "swapdb",
          "restore",
          "restore-asking",
          "migrate",
          "lmove",
          "blmove",
          "rpoplpush",
          "brpoplpush",
          "sort");

  private static final Set<String> IDENTITY = Set.of("run_id", "master_replid");

  /** The prefix of a value that names its dictionary. */
  private static final int HEAD_BYTES = 12;

  /** The fields of a line of CLUSTER NODES before the slots. */
  private static final int SLOTS_PART = 8;

  /** The script's first reply element for a list that is too long. */
  private static final String TOO_LONG = "long";

  /**
   * Returns the distinct prefixes of a key's values that may refer to dictionaries, after the
   * position at which to continue.
   */
  private static final String HEADS =
      "local seen, heads = {}, {''} "
          + "local function look(value) "
          + "if #value >= 12 and string.byte(value, 7) == 2 then "
          + "local head = string.sub(value, 1, 12) "
          + "if not seen[head] then seen[head] = true heads[#heads + 1] = head end end end "
          + "local type = redis.call('TYPE', KEYS[1]).ok "
          + "local count = tonumber(ARGV[2]) "
          + "if type == 'hash' then "
          + "local from = ARGV[1] if from == '' then from = '0' end "
          + "local found = redis.call('HSCAN', KEYS[1], from, 'COUNT', count) "
          + "for i = 2, #found[2], 2 do look(found[2][i]) end "
          + "if found[1] ~= '0' then heads[1] = found[1] end "
          + "elseif type == 'list' then "
          + "local length = redis.call('LLEN', KEYS[1]) "
          + "if length > tonumber(ARGV[3]) then return {'long'} end "
          + "for first = 0, length - 1, 100 do "
          + "for _, value in ipairs(redis.call('LRANGE', KEYS[1], first, first + 99)) do "
          + "look(value) end end "
          + "elseif type == 'stream' then "
          + "local from = ARGV[1] if from == '' then from = '-' end "
          + "local found = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', count) "
          + "for _, entry in ipairs(found) do "
          + "for i = 2, #entry[2], 2 do look(entry[2][i]) end end "
          + "if #found == count then heads[1] = found[count][1] end "
          + "elseif type == 'string' then look(redis.call('GETRANGE', KEYS[1], 0, 11)) end "
          + "return heads";

  /** Returns those that are not current and that no client has used for some time. */
  private static final String FIND_UNUSED =
      "local now = tonumber(redis.call('TIME')[1]) local current = {} local unused = {} "
          + "for _, id in ipairs(redis.call('HVALS', KEYS[2])) do current[id] = true end "
          + "for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do "
          + "local used = redis.call('HGET', KEYS[3], id) or '' "
          + "if not current[id] and now - (tonumber(used) or 0) >= tonumber(ARGV[1]) then "
          + "unused[#unused + 1] = id unused[#unused + 1] = used end end "
          + "return unused";

  /** Removes a dictionary, unless it has become current or was used since. */
  private static final String REMOVE =
      "for _, id in ipairs(redis.call('HVALS', KEYS[2])) do "
          + "if id == ARGV[1] then return 0 end end "
          + "if (redis.call('HGET', KEYS[3], ARGV[1]) or '') ~= ARGV[2] then return 0 end "
          + "redis.call('HDEL', KEYS[3], ARGV[1]) "
          + "return redis.call('HDEL', KEYS[1], ARGV[1])";

  private final StatefulConnection<?, ?> connection;
  private final CleanupOptions options;
  private final KeyScan scan;

  /** Returns the last uses of the dictionaries that are unused and have no known references. */
  private final Map<Integer, String> unused = new HashMap<>();

  private long keys;
  private long elements;
  private @Nullable String obstacle;

  /** Creates a cleaner that uses a client's connection. */
  public DictionaryCleaner(Sheaf<?, ?> sheaf, CleanupOptions options) {
    this.connection = sheaf.isCluster() ? sheaf.cluster() : sheaf.standalone();
    this.options = options;
    this.scan = new KeyScan(connection, "", options.keysPerSecond(), options.keysPerStep());
  }

  /**
   * Runs the cleaning. Blocks until all keys have been scanned, or no unused dictionary is left. An
   * interrupt stops it between two steps.
   *
   * @throws io.lettuce.core.RedisException if a server fails or does not allow SCAN, GETRANGE,
   *     EVAL, INFO and, in a cluster, CLUSTER NODES; nothing is removed then
   */
  public Cleanup run() {
    StoredCommands commands = new StoredCommands(connection);
    List<DictionaryInfo> all = dictionaries();
    Map<String, String> used = unused(commands);
    for (DictionaryInfo dictionary : all) {
      String last = used.get(dictionary.id());
      if (last != null) {
        unused.put(Integer.parseUnsignedInt(dictionary.id(), 16), last);
      }
    }
    Map<String, StoredCommands> nodes = scan.nodes();
    Map<String, String> before = facts(nodes);
    nodes.values().forEach(this::look);
    if (!unused.isEmpty() && obstacle == null) {
      obstacle = difference(before, facts(nodes));
    }
    List<DictionaryInfo> removed = new ArrayList<>();
    if (obstacle == null) {
      for (DictionaryInfo dictionary : all) {
        String last = unused.get(Integer.parseUnsignedInt(dictionary.id(), 16));
        if (last != null && (options.dryRun() || remove(commands, dictionary.id(), last))) {
          removed.add(dictionary);
        }
      }
    }
    return new Cleanup(keys, removed, obstacle);
  }

  private List<DictionaryInfo> dictionaries() {
    DictionaryService dictionaries =
        new DictionaryService(CompressionOptions.readOnly(), new DictionaryMeters(null, ""));
    dictionaries.attach(
        new DictionaryStore(
            () -> CompletableFuture.completedFuture(connection),
            ForkJoinPool.commonPool(),
            connection.getTimeout()));
    return dictionaries.list();
  }

  private Map<String, String> unused(StoredCommands commands) {
    CommandArgs<byte[], byte[]> script = script(FIND_UNUSED).add(options.unusedFor().toSeconds());
    List<?> found = (List<?>) KeyScan.notNull(commands.call(CommandType.EVAL, script));
    Map<String, String> unused = new HashMap<>();
    for (int i = 0; i + 1 < found.size(); i += 2) {
      unused.put(text(found.get(i)), text(found.get(i + 1)));
    }
    return unused;
  }

  private static boolean remove(StoredCommands commands, String id, String used) {
    Object removed = commands.call(CommandType.EVAL, script(REMOVE).add(id).add(used));
    return removed instanceof Long number && number == 1;
  }

  private static CommandArgs<byte[], byte[]> script(String text) {
    CommandArgs<byte[], byte[]> args = StoredCommands.args().add(text).add(3);
    for (String key : List.of(DictionaryStore.KEY, DictionaryStore.CURRENT, DictionaryStore.USED)) {
      args.addKey(key.getBytes(StandardCharsets.UTF_8));
    }
    return args;
  }

  private static String text(@Nullable Object bytes) {
    return new String((byte[]) KeyScan.notNull(bytes), StandardCharsets.UTF_8);
  }

  private void look(StoredCommands node) {
    String cursor = KeyScan.BEGINNING;
    do {
      if (unused.isEmpty() || obstacle != null) {
        return;
      }
      KeyScan.Step step = scan.step(node, cursor);
      look(node, step.keys());
      cursor = step.next();
      options.progress().accept(keys);
      scan.keepPace(keys + elements);
    } while (!cursor.equals(KeyScan.BEGINNING));
  }

  /** Reads from the primary, whatever the client reads from: a replica can lag. */
  private void look(StoredCommands node, List<byte[]> found) {
    List<Future<Object>> reads = new ArrayList<>();
    for (byte[] key : found) {
      reads.add(
          node.send(CommandType.GETRANGE, StoredCommands.key(key).add(0).add(HEAD_BYTES - 1)));
    }
    for (int i = 0; i < reads.size(); i++) {
      keys++;
      try {
        refers(node.await(reads.get(i)));
      } catch (RedisCommandExecutionException e) {
        Migrator.requireWrongType(e);
        lookInto(node, found.get(i));
      }
    }
  }

  private void lookInto(StoredCommands node, byte[] key) {
    byte[] from = {};
    do {
      // In a stream, the last entry of a step is the first of the next one.
      CommandArgs<byte[], byte[]> script =
          StoredCommands.args()
              .add(HEADS)
              .add(1)
              .addKey(key)
              .add(from)
              .add(Math.max(2, options.keysPerStep()))
              .add(options.maxListElements());
      List<?> heads = (List<?>) KeyScan.notNull(node.call(CommandType.EVAL, script));
      from = (byte[]) KeyScan.notNull(heads.get(0));
      if (new String(from, StandardCharsets.US_ASCII).equals(TOO_LONG)) {
        obstacle =
            "The list \""
                + new String(key, StandardCharsets.UTF_8)
                + "\" has more elements than maxListElements="
                + options.maxListElements();
        return;
      }
      heads.subList(1, heads.size()).forEach(this::refers);
      elements += options.keysPerStep();
      scan.keepPace(keys + elements);
    } while (from.length > 0);
  }

  private void refers(@Nullable Object head) {
    if (head instanceof byte[] bytes && Envelope.looksLikeOne(bytes, 0, bytes.length)) {
      unused.remove(Envelope.dictionaryId(bytes, bytes.length));
    }
  }

  /** What must not change during the scan, with the meaning of a change. */
  private Map<String, String> facts(Map<String, StoredCommands> nodes) {
    Map<String, String> facts = new TreeMap<>();
    nodes.forEach((name, node) -> addFacts(facts, " on the node " + name, node));
    return facts;
  }

  private void addFacts(Map<String, String> facts, String where, StoredCommands node) {
    for (String line : lines(node.call(CommandType.INFO, StoredCommands.args().add("all")))) {
      String[] parts = line.split(":", 2);
      String name = parts[0].replaceFirst("^cmdstat_", "");
      if (parts.length == 2 && IDENTITY.contains(name)) {
        facts.put(name + " changed" + where, parts[1]);
      } else if (parts.length == 2 && MOVING.contains(name)) {
        facts.put(name.toUpperCase(Locale.ROOT) + " ran" + where, parts[1].split(",", 2)[0]);
      }
    }
    if (connection instanceof StatefulRedisClusterConnection<?, ?>) {
      for (String line :
          lines(node.call(CommandType.CLUSTER, StoredCommands.args().add("NODES")))) {
        String[] parts = line.split(" ", SLOTS_PART + 1);
        if (parts.length > SLOTS_PART) {
          facts.put("the slots of " + parts[0] + " changed" + where, parts[SLOTS_PART]);
        }
      }
    }
  }

  private static List<String> lines(@Nullable Object text) {
    return new String((byte[]) KeyScan.notNull(text), StandardCharsets.UTF_8).lines().toList();
  }

  private static @Nullable String difference(
      Map<String, String> before, Map<String, String> after) {
    Set<String> names = new TreeSet<>(before.keySet());
    names.addAll(after.keySet());
    for (String name : names) {
      if (!Objects.equals(before.get(name), after.get(name))) {
        return "While it scanned, " + name + ". A value may have moved; run it at another time";
      }
    }
    return null;
  }
}
