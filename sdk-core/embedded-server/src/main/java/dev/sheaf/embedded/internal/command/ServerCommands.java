// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.node.Config;
import dev.sheaf.embedded.internal.node.Counters;
import dev.sheaf.embedded.internal.node.KeyspaceEvents;
import dev.sheaf.embedded.internal.node.MemoryLimit;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** INFO, CONFIG, FLUSHALL and the other commands on the whole server. */
final class ServerCommands {
  private static final long MICROS = 1_000_000;

  private static final String MALLOC = "Stats not supported for the current allocator";
  private static final Pattern BYTES = Pattern.compile("([0-9]{1,12})((?i)[kmg]b?|b|)");

  static void register(Handlers handlers) {
    handlers
        .add(
            "bgrewriteaof",
            call -> call.out.status("Background append only file rewriting started"))
        .add("bgsave", call -> call.out.status("Background saving started"))
        .add("command", CommandCommand::all)
        .add("command|count", CommandCommand::count)
        .add("command|docs", CommandCommand::docs)
        .add("command|getkeys", CommandCommand::getKeys)
        .add("command|getkeysandflags", CommandCommand::getKeysAndFlags)
        .add("command|info", CommandCommand::info)
        .add("command|list", CommandCommand::list)
        .add("config|get", ServerCommands::configGet)
        .add("config|rewrite", ServerCommands::configRewrite)
        .ok("config|resetstat", call -> call.node.counters = new Counters())
        .ok("config|set", ServerCommands::configSet)
        .add("dbsize", call -> call.out.integer(call.db().size()))
        .add("debug", DebugCommand::run)
        .ok("flushall", ServerCommands::flushAll)
        .ok("flushdb", ServerCommands::flushDb)
        .add("info", ServerCommands::info)
        .add("lastsave", call -> call.out.integer(call.node.startedAt / 1000))
        .add("memory|doctor", ServerCommands::memoryDoctor)
        .add("memory|malloc-stats", call -> call.out.verbatim(Bytes.of(MALLOC)))
        .ok("memory|purge", call -> {})
        .add("memory|usage", ServerCommands::memoryUsage)
        .add("module|list", call -> call.out.array(0))
        .ok("replicaof", ServerCommands::replicaOf)
        .add("role", ServerCommands::role)
        .ok("save", call -> {})
        .ok("slaveof", ServerCommands::replicaOf)
        .ok("swapdb", ServerCommands::swapDb)
        .add("time", ServerCommands::time);
  }

  private static void info(Call call) {
    List<String> wanted = call.from(1).stream().map(Bytes::lower).toList();
    call.out.verbatim(Bytes.of(InfoSections.of(call.node, wanted)));
  }

  private static void configGet(Call call) {
    Map<String, String> found = new LinkedHashMap<>();
    for (int i = 2; i < call.count(); i++) {
      byte[] pattern = call.arg(i);
      call.node.config.values.forEach(
          (name, value) -> {
            if (call.node.config.isHidden(name)
                ? Bytes.lower(pattern).equals(name)
                : Glob.matchesIgnoringCase(pattern, Bytes.of(name))) {
              found.put(name, value);
            }
          });
    }
    call.out.texts(found);
  }

  private static void configSet(Call call) {
    Errors.arityIf(call.count() % 2 != 0, call);
    Config config = call.node.config;
    for (int i = 2; i < call.count(); i += 2) {
      String name = call.text(i).toLowerCase(Locale.ROOT);
      Errors.refuseIf(
          config.get(name) == null,
          "ERR Unknown option or number of arguments for CONFIG SET - '%s'",
          call.text(i));
      if (config.isFixed(name)) {
        throw refused(call.text(i), "can't set immutable config");
      }
      for (int before = 2; before < i; before += 2) {
        if (name.equalsIgnoreCase(call.text(before))) {
          throw refused(call.text(i), "duplicate parameter");
        }
      }
    }
    // Sets all of them, or none.
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 2; i < call.count(); i += 2) {
      String name = call.text(i).toLowerCase(Locale.ROOT);
      values.put(name, checked(config, name, call.text(i + 1)));
    }
    values.forEach((name, value) -> set(call.node, name, value));
    call.node.memoryConfigured();
  }

  /** Returns the value as in CONFIG GET. */
  private static String checked(Config config, String name, String value) {
    if (name.equals("notify-keyspace-events")) {
      String shown = KeyspaceEvents.shown(value);
      if (shown == null) {
        throw refused(name, "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
      }
      return shown;
    }
    if (name.equals("requirepass") || (name.equals("maxmemory-clients") && isPercentage(value))) {
      return value;
    }
    if (name.equals("port") && !value.equals(config.get(name))) {
      throw refused(name, "Unable to listen on this port (the embedded server keeps its port)");
    }
    String wanted = config.isInBytes(name) ? bytes(name, value) : value;
    String reason = config.refusal(name, wanted);
    if (reason != null) {
      throw refused(name, reason);
    }
    return wanted;
  }

  private static boolean isPercentage(String value) {
    boolean percentage = value.matches("[0-9]{1,9}%");
    if (percentage && Integer.parseInt(value.substring(0, value.length() - 1)) > 100) {
      throw refused("maxmemory-clients", "percentage argument must be less or equal to 100");
    }
    return percentage;
  }

  private static void set(ServerNode node, String name, String value) {
    if (name.equals("notify-keyspace-events")) {
      node.announceEvents(value);
    } else if (name.equals("requirepass")) {
      node.users.requirePassword(Bytes.latin(value));
    }
    node.config.set(name, value);
  }

  private static CommandException refused(String name, String reason) {
    return Errors.of(
        "ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + reason);
  }

  /** Parses a number of bytes with its unit. */
  private static String bytes(String name, String value) {
    Matcher matcher = BYTES.matcher(value);
    if (!matcher.matches()) {
      throw refused(name, "argument must be a memory value");
    }
    String unit = matcher.group(2).toLowerCase(Locale.ROOT);
    long base = unit.endsWith("b") && unit.length() > 1 ? 1024 : 1000;
    int power = unit.isEmpty() ? 0 : " kmg".indexOf(unit.charAt(0));
    long bytes = Long.parseLong(matcher.group(1));
    for (int i = 0; i < power; i++) {
      bytes *= base;
    }
    return Long.toString(bytes);
  }

  private static void configRewrite(Call call) {
    throw Errors.of("ERR The server is running without a config file");
  }

  private static void flushAll(Call call) {
    checkFlushMode(call);
    call.node.databases.forEach(db -> db.clear());
    call.node.tracking.flushed();
    call.node.dirtied();
  }

  private static void flushDb(Call call) {
    checkFlushMode(call);
    call.db().clear();
    call.node.tracking.flushed();
    call.node.dirtied();
  }

  private static void checkFlushMode(Call call) {
    Errors.syntaxIf(
        call.count() > 2 || (call.count() == 2 && !call.is(1, "SYNC") && !call.is(1, "ASYNC")));
  }

  private static void memoryUsage(Call call) {
    for (int i = 3; i < call.count(); i += 2) {
      Errors.syntaxIf(!call.is(i, "SAMPLES") || i + 1 == call.count());
      Errors.syntaxIf(call.longArg(i + 1) < 0);
    }
    byte[] key = call.arg(2);
    call.out.orNil(call.db().peek(key), value -> call.out.integer(MemoryLimit.bytesOf(key, value)));
  }

  private static void memoryDoctor(Call call) {
    call.out.verbatim(Bytes.of("The embedded server lives in the memory of a JVM: ask that.\n"));
  }

  private static void replicaOf(Call call) {
    Errors.refuseIf(call.node.nodes.isCluster(), "ERR REPLICAOF not allowed in cluster mode.");
    Errors.refuseIf(
        !call.is(1, "NO") || !call.is(2, "ONE") || !call.node.isMaster(),
        "ERR the embedded server gets its replicas when it is built, or from a sentinel");
  }

  private static void role(Call call) {
    ServerNode node = call.node;
    ServerNode master = node.master();
    ServerNode.Watch sentinel = node.sentinel;
    if (sentinel != null) {
      call.out.list("sentinel", List.of(sentinel.masterName()));
      return;
    }
    if (master != null) {
      call.out.list(
          "slave",
          master.announcedHost(),
          master.announcedPort,
          "connected",
          node.replicationOffset());
      return;
    }
    call.out.array(3);
    call.out.key("master").integer(node.replicationOffset());
    call.out.array(node.replicas.size());
    for (ServerNode replica : node.replicas) {
      call.out.list(
          replica.announcedHost(),
          Integer.toString(replica.announcedPort),
          Long.toString(replica.replicationOffset()));
    }
  }

  private static void swapDb(Call call) {
    Errors.refuseIf(call.node.nodes.isCluster(), "ERR SWAPDB is not allowed in cluster mode");
    int first = call.dbIndex(1, "ERR invalid first DB index");
    int second = call.dbIndex(2, "ERR invalid second DB index");
    if (first != second) {
      call.node.swap(first, second);
    }
    call.node.dirtied();
  }

  private static void time(Call call) {
    long micros = call.node.nodes.clock.micros();
    String seconds = Long.toString(Math.floorDiv(micros, MICROS));
    call.out.list(seconds, Long.toString(Math.floorMod(micros, MICROS)));
  }
}
