// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import dev.sheaf.embedded.internal.node.Config;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** INFO, CONFIG, FLUSHALL and what else concerns the whole server. */
final class ServerCommands {
  private static final long MICROS = 1_000_000;

  private static final String MALLOC = "Stats not supported for the current allocator";
  private static final Pattern BYTES = Pattern.compile("([0-9]{1,12})((?i)[kmg]b?|b|)");

  private ServerCommands() {}

  static void register(Handlers handlers) {
    handlers
        .add(
            "bgrewriteaof",
            call -> call.out().status("Background append only file rewriting started"))
        .add("bgsave", call -> call.out().status("Background saving started"))
        .add("command", CommandCommand::all)
        .add("command|count", CommandCommand::count)
        .add("command|docs", CommandCommand::docs)
        .add("command|getkeys", CommandCommand::getKeys)
        .add("command|getkeysandflags", CommandCommand::getKeysAndFlags)
        .add("command|info", CommandCommand::info)
        .add("command|list", CommandCommand::list)
        .add("config|get", ServerCommands::configGet)
        .add("config|rewrite", ServerCommands::configRewrite)
        .add("config|resetstat", ServerCommands::configResetStat)
        .add("config|set", ServerCommands::configSet)
        .add("dbsize", call -> call.out().integer(call.db().size()))
        .add("debug", DebugCommand::run)
        .add("flushall", ServerCommands::flushAll)
        .add("flushdb", ServerCommands::flushDb)
        .add("info", ServerCommands::info)
        .add("lastsave", call -> call.out().integer(call.node().startedAt() / 1000))
        .add("memory|doctor", ServerCommands::memoryDoctor)
        .add("memory|malloc-stats", call -> call.out().verbatim(Bytes.of(MALLOC)))
        .add("memory|purge", call -> call.out().ok())
        .add("memory|usage", ServerCommands::memoryUsage)
        .add("module|list", call -> call.out().array(0))
        .add("replicaof", ServerCommands::replicaOf)
        .add("role", ServerCommands::role)
        .add("save", call -> call.out().ok())
        .add("slaveof", ServerCommands::replicaOf)
        .add("swapdb", ServerCommands::swapDb)
        .add("time", ServerCommands::time);
  }

  private static void info(Call call) {
    List<String> wanted = new ArrayList<>();
    for (int i = 1; i < call.count(); i++) {
      wanted.add(Bytes.lower(call.arg(i)));
    }
    call.out().verbatim(Bytes.of(InfoSections.of(call.node(), wanted)));
  }

  private static void configGet(Call call) {
    Map<String, String> found = new LinkedHashMap<>();
    for (int i = 2; i < call.count(); i++) {
      byte[] pattern = call.arg(i);
      call.node()
          .config()
          .values()
          .forEach(
              (name, value) -> {
                if (Glob.matchesIgnoringCase(pattern, Bytes.of(name))) {
                  found.put(name, value);
                }
              });
    }
    call.out().map(found.size());
    found.forEach(
        (name, value) -> {
          call.out().bulk(name);
          call.out().bulk(value);
        });
  }

  private static void configSet(Call call) {
    if (call.count() % 2 != 0) {
      throw Errors.arity("config|set");
    }
    Config config = call.node().config();
    for (int i = 2; i < call.count(); i += 2) {
      String name = call.text(i).toLowerCase(Locale.ROOT);
      if (config.get(name) == null) {
        throw Errors.of(
            "ERR Unknown option or number of arguments for CONFIG SET - '" + call.text(i) + "'");
      }
      if (config.isFixed(name)) {
        throw refused(call.text(i), "can't set immutable config");
      }
      for (int before = 2; before < i; before += 2) {
        if (name.equalsIgnoreCase(call.text(before))) {
          throw refused(call.text(i), "duplicate parameter");
        }
      }
    }
    for (int i = 2; i < call.count(); i += 2) {
      set(call, config, call.text(i).toLowerCase(Locale.ROOT), i + 1);
    }
    call.out().ok();
  }

  private static void set(Call call, Config config, String name, int at) {
    String value = call.text(at);
    switch (name) {
      case "notify-keyspace-events" -> {
        value = call.node().announceEvents(value);
        if (value == null) {
          throw refused(name, "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
        }
      }
      case "requirepass" -> call.node().users().requirePassword(call.arg(at));
      default -> {
        if (config.isInBytes(name)) {
          value = bytes(name, value);
        }
        String reason = config.refusal(name, value);
        if (reason != null) {
          throw refused(name, reason);
        }
      }
    }
    config.set(name, value);
  }

  private static CommandException refused(String name, String reason) {
    return Errors.of(
        "ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + reason);
  }

  /** A number of bytes, with its unit worked in. */
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

  private static void configResetStat(Call call) {
    call.node().counters().reset();
    call.out().ok();
  }

  private static void flushAll(Call call) {
    checkFlushMode(call);
    call.node().databases().forEach(db -> db.clear());
    call.node().dirtied();
    call.out().ok();
  }

  private static void flushDb(Call call) {
    checkFlushMode(call);
    call.db().clear();
    call.node().dirtied();
    call.out().ok();
  }

  private static void checkFlushMode(Call call) {
    if (call.count() > 2 || call.count() == 2 && !call.is(1, "SYNC") && !call.is(1, "ASYNC")) {
      throw Errors.syntax();
    }
  }

  private static void memoryUsage(Call call) {
    for (int i = 3; i < call.count(); i += 2) {
      if (!call.is(i, "SAMPLES") || i + 1 == call.count()) {
        throw Errors.syntax();
      }
      if (call.longArg(i + 1) < 0) {
        throw Errors.syntax();
      }
    }
    Value value = call.db().peek(call.arg(2));
    if (value == null) {
      call.out().nil();
    } else {
      long key = 40L + call.arg(2).length;
      call.out().integer(key + (value instanceof StringValue s ? s.memory() : value.memory()));
    }
  }

  private static void memoryDoctor(Call call) {
    call.out().verbatim(Bytes.of("The embedded server lives in the memory of a JVM: ask that.\n"));
  }

  private static void replicaOf(Call call) {
    if (call.node().nodes().isCluster()) {
      throw Errors.of("ERR REPLICAOF not allowed in cluster mode.");
    }
    if (!call.is(1, "NO") || !call.is(2, "ONE") || !call.node().isMaster()) {
      throw Errors.of(
          "ERR the embedded server gets its replicas when it is built, or from a sentinel");
    }
    call.out().ok();
  }

  private static void role(Call call) {
    ServerNode node = call.node();
    ServerNode master = node.master();
    ServerNode.Watch sentinel = node.sentinel();
    if (sentinel != null) {
      call.out().array(2);
      call.out().bulk("sentinel");
      call.out().array(1);
      call.out().bulk(sentinel.masterName());
      return;
    }
    if (master != null) {
      call.out().array(5);
      call.out().bulk("slave");
      call.out().bulk(master.announcedHost());
      call.out().integer(master.announcedPort());
      call.out().bulk("connected");
      call.out().integer(node.replicationOffset());
      return;
    }
    call.out().array(3);
    call.out().bulk("master");
    call.out().integer(node.replicationOffset());
    call.out().array(node.replicas().size());
    for (ServerNode replica : node.replicas()) {
      call.out().array(3);
      call.out().bulk(replica.announcedHost());
      call.out().bulk(Integer.toString(replica.announcedPort()));
      call.out().bulk(Long.toString(replica.replicationOffset()));
    }
  }

  private static void swapDb(Call call) {
    if (call.node().nodes().isCluster()) {
      throw Errors.of("ERR SWAPDB is not allowed in cluster mode");
    }
    int first = dbIndex(call, 1, "ERR invalid first DB index");
    int second = dbIndex(call, 2, "ERR invalid second DB index");
    if (first != second) {
      call.node().swap(first, second);
    }
    call.node().dirtied();
    call.out().ok();
  }

  private static int dbIndex(Call call, int at, String error) {
    Long index = Numbers.parseLong(call.arg(at));
    if (index == null || index < Integer.MIN_VALUE || index > Integer.MAX_VALUE) {
      throw Errors.of(error);
    }
    if (index < 0 || index >= ServerNode.DATABASES) {
      throw Errors.of("ERR DB index is out of range");
    }
    return index.intValue();
  }

  private static void time(Call call) {
    long micros = call.node().nodes().clock().micros();
    call.out().array(2);
    call.out().bulk(Long.toString(Math.floorDiv(micros, MICROS)));
    call.out().bulk(Long.toString(Math.floorMod(micros, MICROS)));
  }
}
