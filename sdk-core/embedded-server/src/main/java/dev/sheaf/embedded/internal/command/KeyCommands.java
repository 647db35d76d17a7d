// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Database;
import dev.sheaf.embedded.internal.data.Dump;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.data.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** DEL, EXPIRE, SCAN and the other commands on keys of any type. */
final class KeyCommands {
  private static final long MAX_IDLE_SECONDS = Integer.MAX_VALUE;

  static void register(Handlers handlers) {
    handlers
        .add("copy", KeyCommands::copy)
        .add("del", call -> count(call, call::delete))
        .add("dump", KeyCommands::dump)
        .add("exists", call -> count(call, key -> call.db().peek(key) != null))
        .add("expire", call -> expire(call, true, false))
        .add("expireat", call -> expire(call, true, true))
        .add("expiretime", call -> ttl(call, true, true))
        .add("keys", KeyCommands::keys)
        .add("move", KeyCommands::move)
        .add("object|encoding", ObjectCommand::encoding)
        .add("object|freq", ObjectCommand::frequency)
        .add("object|idletime", ObjectCommand::idleTime)
        .add("object|refcount", ObjectCommand::references)
        .add("migrate", MigrateCommand::run)
        .add("persist", KeyCommands::persist)
        .add("pexpire", call -> expire(call, false, false))
        .add("pexpireat", call -> expire(call, false, true))
        .add("pexpiretime", call -> ttl(call, false, true))
        .add("pttl", call -> ttl(call, false, false))
        .add("randomkey", call -> call.out.bulkOrNil(call.db().randomKey(call.node.nodes.random)))
        .add("rename", call -> rename(call, false))
        .add("renamenx", call -> rename(call, true))
        .ok("restore", KeyCommands::restore)
        .add("scan", KeyCommands::scan)
        .add("sort", SortCommand::run)
        .add("sort_ro", SortCommand::run)
        .add("touch", call -> count(call, key -> call.value(key) != null))
        .add("ttl", call -> ttl(call, true, false))
        .add("type", KeyCommands::type)
        .add("unlink", call -> count(call, call::delete))
        .add("wait", KeyCommands::waitForReplicas)
        .add("waitaof", KeyCommands::waitForFile);
  }

  /** Replies how many keys match. */
  private static void count(Call call, Predicate<byte[]> holds) {
    call.out.integer(call.howMany(1, holds));
  }

  private static void type(Call call) {
    Value value = call.db().peek(call.arg(1));
    call.out.status(value == null ? "none" : value.type());
  }

  private static void keys(Call call) {
    List<byte[]> found = new ArrayList<>();
    byte[] pattern = call.arg(1);
    boolean all = pattern.length == 1 && pattern[0] == '*';
    var entry = call.db().table().first();
    while (entry != null) {
      var after = entry.after();
      if ((all || Glob.matches(pattern, entry.key)) && call.db().peek(entry.key) != null) {
        found.add(entry.key);
      }
      entry = after;
    }
    call.out.bulks(found);
  }

  private static void scan(Call call) {
    long cursor = Scan.cursor(call, 1);
    Scan scan = Scan.options(call, 2, true);
    Database db = call.db();
    List<byte[]> found = new ArrayList<>();
    cursor =
        scan.walk(
            db.table(),
            cursor,
            entry -> {
              if (scan.matches(entry.key) && scan.hasType(entry.value())) {
                found.add(entry.key);
              }
            });
    found.removeIf(key -> db.peek(key) == null);
    Scan.reply(call, cursor, found);
  }

  private static void rename(Call call, boolean onlyIfFree) {
    byte[] from = call.arg(1);
    byte[] to = call.arg(2);
    Database db = call.db();
    Value value = Errors.found(db.get(from), Errors.NO_SUCH_KEY);
    boolean same = Arrays.equals(from, to);
    if (onlyIfFree && db.get(to) != null) {
      call.out.integer(0);
      return;
    }
    if (!same) {
      db.remove(to);
      db.remove(from);
      db.put(to, value);
      call.changed(from, "rename_from");
      call.changed(to, "rename_to");
    }
    if (onlyIfFree) {
      call.out.integer(1);
    } else {
      call.out.ok();
    }
  }

  private static void copy(Call call) {
    byte[] from = call.arg(1);
    byte[] to = call.arg(2);
    boolean replace = false;
    int target = call.client.dbIndex;
    for (int i = 3; i < call.count(); i++) {
      switch (call.option(i)) {
        case "REPLACE" -> replace = true;
        case "DB" -> target = call.dbIndex(call.next(i++), Errors.NOT_INTEGER);
        default -> throw Errors.syntax();
      }
    }
    Errors.refuseIf(call.node.nodes.isCluster() && target != 0, "ERR DB index is out of range");
    Database db = call.node.db(target);
    Errors.refuseIf(
        db == call.db() && Arrays.equals(from, to),
        "ERR source and destination objects are the same");
    Value value = call.db().get(from);
    if (value == null || (!replace && db.get(to) != null)) {
      call.out.integer(0);
      return;
    }
    transfer(call, value.copy(), value.expireAt(), db, to, "copy_to");
    call.out.integer(1);
  }

  private static void transfer(
      Call call, Value value, long expireAt, Database db, byte[] key, String event) {
    db.put(key, value);
    if (expireAt != Value.NO_EXPIRY) {
      db.expireAt(key, value, expireAt);
    }
    db.changed(key);
    call.node.dirtied();
    call.node.announce('g', event, db.index, key);
  }

  private static void move(Call call) {
    Errors.refuseIf(call.node.nodes.isCluster(), "ERR MOVE is not allowed in cluster mode");
    byte[] key = call.arg(1);
    Database target = call.node.db(call.dbIndex(2, Errors.NOT_INTEGER));
    Errors.refuseIf(target == call.db(), "ERR source and destination objects are the same");
    Value value = call.db().get(key);
    if (value == null || target.get(key) != null) {
      call.out.integer(0);
      return;
    }
    call.db().remove(key);
    call.changed(key, "move_from");
    transfer(call, value, value.expireAt(), target, key, "move_to");
    call.out.integer(1);
  }

  private static void expire(Call call, boolean seconds, boolean absolute) {
    byte[] key = call.arg(1);
    ExpireCondition condition = ExpireCondition.parse(call, 3);
    long millis = ExpiryOption.millis(call, 2, seconds, absolute);
    Value found = call.db().get(key);
    if (found == null || !condition.allows(found.expireAt(), millis)) {
      call.out.integer(0);
      return;
    }
    if (millis <= call.now()) {
      call.delete(key);
    } else {
      call.db().expireAt(key, found, millis);
      call.changed(key);
    }
    call.out.integer(1);
  }

  private static void persist(Call call) {
    Value value = call.db().get(call.arg(1));
    if (value == null || value.expireAt() == Value.NO_EXPIRY) {
      call.out.integer(0);
      return;
    }
    call.db().expireAt(call.arg(1), value, Value.NO_EXPIRY);
    call.changed(call.arg(1));
    call.out.integer(1);
  }

  private static void ttl(Call call, boolean seconds, boolean absolute) {
    Value value = call.db().peek(call.arg(1));
    if (value == null) {
      call.out.integer(-2);
    } else if (value.expireAt() == Value.NO_EXPIRY) {
      call.out.integer(-1);
    } else {
      long millis = absolute ? value.expireAt() : Math.max(0, value.expireAt() - call.now());
      call.out.integer(seconds ? (millis + 500) / 1000 : millis);
    }
  }

  private static void dump(Call call) {
    Value value = call.value(call.arg(1));
    byte[] payload = value == null ? null : Dump.of(value, call.node.edition().dumpVersion);
    if (value != null && payload == null) {
      throw Errors.of("ERR the embedded server cannot dump a stream");
    }
    call.out.bulkOrNil(payload);
  }

  private static void restore(Call call) {
    boolean replace = false;
    boolean absolute = false;
    long idleSeconds = -1;
    long frequency = -1;
    for (int i = 4; i < call.count(); i++) {
      switch (call.option(i)) {
        case "REPLACE" -> replace = true;
        case "ABSTTL" -> absolute = true;
        case "IDLETIME" -> {
          Errors.syntaxIf(frequency >= 0);
          idleSeconds = call.longArg(call.next(i++));
          Errors.refuseIf(idleSeconds < 0, "ERR Invalid IDLETIME value, must be >= 0");
        }
        case "FREQ" -> {
          Errors.syntaxIf(idleSeconds >= 0);
          String error = "ERR Invalid FREQ value, must be >= 0 and <= 255";
          frequency = call.longArg(call.next(i++));
          Errors.refuseIf(frequency < 0 || frequency > 255, error);
        }
        default -> throw Errors.syntax();
      }
    }
    byte[] key = call.arg(1);
    Errors.refuseIf(
        !replace && call.db().get(key) != null, "BUSYKEY Target key name already exists.");
    long ttl = call.longArg(2);
    Errors.refuseIf(ttl < 0, "ERR Invalid TTL value, must be >= 0");
    Errors.refuseIf(
        !Dump.isWhole(call.arg(3), call.node.edition().dumpVersion),
        "ERR DUMP payload version or checksum are wrong");
    Value value = Errors.found(Dump.value(call.arg(3)), "ERR Bad data format");
    long expireAt = ttl == 0 ? Value.NO_EXPIRY : absolute ? ttl : call.now() + ttl;
    if (replace) {
      call.delete(key);
    }
    if (ttl != 0 && expireAt <= call.now()) {
      return;
    }
    transfer(call, value, expireAt, call.db(), key, "restore");
    if (idleSeconds > 0) {
      value.usedAt(Math.max(0, call.now() - Math.min(idleSeconds, MAX_IDLE_SECONDS) * 1000));
    }
  }

  private static void waitForReplicas(Call call) {
    Errors.refuseIf(
        !call.node.isMaster(),
        "ERR WAIT cannot be used with replica instances. Please also note that since"
            + " Redis 4.0 if a replica is configured to be writable (which is not the default)"
            + " writes to replicas are just local and are not propagated.");
    call.longArg(1);
    Errors.refuseIf(call.longArg(2) < 0, "ERR timeout is negative");
    call.out.integer(call.node.replicas.size());
  }

  private static void waitForFile(Call call) {
    Errors.arityIf(call.count() > 4, call);
    long local = call.longArg(1);
    Errors.refuseIf(
        local < 0 || local > 1, "ERR value is out of range, value must between 0 and 1");
    Errors.refuseIf(call.longArg(2) < 0, "ERR value is out of range, must be positive");
    Errors.refuseIf(call.longArg(3) < 0, "ERR timeout is negative");
    Errors.refuseIf(
        !call.node.isMaster(),
        "ERR WAITAOF cannot be used with replica instances. Please also note that writes to"
            + " replicas are just local and are not propagated.");
    Errors.refuseIf(
        local > 0, "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.");
    call.out.list(0, 0);
  }
}
