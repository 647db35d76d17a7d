// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.HashValue;
import dev.sheaf.embedded.internal.data.Numbers;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** HSET, HGET and the other commands on hashes. */
final class HashCommands {
  static void register(Handlers handlers) {
    handlers
        .add("hdel", HashCommands::hdel)
        .add("hexists", call -> call.out.integer(field(call) == null ? 0 : 1))
        .add("hget", call -> call.out.bulkOrNil(field(call)))
        .add("hgetall", HashCommands::hgetall)
        .add("hincrby", HashCommands::hincrby)
        .add("hincrbyfloat", HashCommands::hincrbyfloat)
        .add("hkeys", call -> list(call, true))
        .add("hlen", call -> call.out.integer(call.hashOrEmpty(call.arg(1)).size()))
        .add("hmget", HashCommands::hmget)
        .add("hmset", HashCommands::hset)
        .add("hrandfield", HashCommands::hrandfield)
        .add("hscan", HashCommands::hscan)
        .add("hset", HashCommands::hset)
        .add("hsetnx", HashCommands::hsetnx)
        .add("hstrlen", HashCommands::hstrlen)
        .add("hvals", call -> list(call, false));
  }

  static HashValue orNew(Call call) {
    return call.orNew(call.arg(1), call.hash(call.arg(1)), HashValue::new);
  }

  private static byte @Nullable [] field(Call call) {
    return call.hashOrEmpty(call.arg(1)).fields.get(call.arg(2));
  }

  private static void hset(Call call) {
    Errors.arityIf(call.count() % 2 != 0, call);
    HashValue hash = orNew(call);
    int added = 0;
    for (int i = 2; i < call.count(); i += 2) {
      if (hash.put(call.arg(i), call.arg(i + 1)) == null) {
        added++;
      }
    }
    call.changed(call.arg(1));
    if (call.command.name().equals("hmset")) {
      call.out.ok();
    } else {
      call.out.integer(added);
    }
  }

  private static void hsetnx(Call call) {
    HashValue hash = call.hash(call.arg(1));
    if (hash != null && hash.fields.contains(call.arg(2))) {
      call.out.integer(0);
      return;
    }
    orNew(call).put(call.arg(2), call.arg(3));
    call.changed(call.arg(1));
    call.out.integer(1);
  }

  private static void hstrlen(Call call) {
    byte[] value = field(call);
    call.out.integer(value == null ? 0 : value.length);
  }

  private static void hmget(Call call) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    call.out.each(call.from(2), field -> call.out.bulkOrNil(hash.fields.get(field)));
  }

  private static void hgetall(Call call) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    call.out.map(hash.size());
    for (var e = hash.fields.first(); e != null; e = e.after()) {
      call.out.bulk(e.key);
      call.out.bulk(e.value());
    }
  }

  private static void list(Call call, boolean names) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    call.out.array(hash.size());
    for (var e = hash.fields.first(); e != null; e = e.after()) {
      call.out.bulk(names ? e.key : e.value());
    }
  }

  private static void hdel(Call call) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    call.removeEach(2, hash::remove, hash::size);
  }

  private static void hincrby(Call call) {
    long by = call.longArg(3);
    byte[] old = field(call);
    Long now =
        Errors.found(
            old == null ? Long.valueOf(0) : Numbers.parseLong(old),
            "ERR hash value is not an integer");
    long sum = now + by;
    Errors.refuseIf(((now ^ sum) & (by ^ sum)) < 0, "ERR increment or decrement would overflow");
    orNew(call).putKeepingTtl(call.arg(2), Bytes.ofLong(sum));
    call.changed(call.arg(1));
    call.out.integer(sum);
  }

  private static void hincrbyfloat(Call call) {
    BigDecimal by = Numbers.parseExtended(call.arg(3));
    if (by == null) {
      throw Numbers.parseDouble(call.arg(3)) == null
          ? Errors.of(Errors.NOT_FLOAT)
          : Errors.of("ERR value is NaN or Infinity");
    }
    byte[] old = field(call);
    BigDecimal now =
        Errors.found(
            old == null ? BigDecimal.ZERO : Numbers.parseExtended(old),
            "ERR hash value is not a float");
    byte[] sum = Bytes.latin(Numbers.formatExtended(Numbers.extended(now.add(by))));
    orNew(call).putKeepingTtl(call.arg(2), sum);
    call.changed(call.arg(1));
    call.out.bulk(sum);
  }

  private static void hrandfield(Call call) {
    if (call.count() == 2) {
      RandomPick.one(call, call.hashOrEmpty(call.arg(1)).fields);
      return;
    }
    long count = RandomPick.count(call);
    boolean values = RandomPick.inPairs(call, count, "WITHVALUES");
    var chosen = RandomPick.from(call, call.hashOrEmpty(call.arg(1)).fields, count);
    boolean pairs = values && call.out.protocol() == 3;
    call.out.array(values && !pairs ? chosen.size() * 2 : chosen.size());
    for (ByteMap.Entry<byte[]> entry : chosen) {
      if (pairs) {
        call.out.array(2);
      }
      call.out.bulk(entry.key);
      if (values) {
        call.out.bulk(entry.value());
      }
    }
  }

  private static void hscan(Call call) {
    long cursor = Scan.cursor(call, 2);
    HashValue hash = call.hash(call.arg(1));
    Scan scan = hash == null ? Scan.ANY : Scan.options(call, 3, false);
    List<byte[]> found = new ArrayList<>();
    if (hash == null) {
      cursor = 0;
    } else if (hash.isCompact()) {
      cursor = 0;
      for (var e = hash.fields.first(); e != null; e = e.after()) {
        collect(scan, e, found);
      }
    } else {
      cursor = scan.walk(hash.fields, cursor, e -> collect(scan, e, found));
    }
    Scan.reply(call, cursor, found);
  }

  private static void collect(Scan scan, ByteMap.Entry<byte[]> entry, List<byte[]> found) {
    if (scan.matches(entry.key)) {
      found.add(entry.key);
      if (!scan.namesOnly()) {
        found.add(entry.value());
      }
    }
  }
}
