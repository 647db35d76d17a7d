// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.SetValue;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** SADD, SINTER and the other commands on sets. */
final class SetCommands {
  private enum Operation {
    UNION,
    INTERSECTION,
    DIFFERENCE
  }

  static void register(Handlers handlers) {
    handlers
        .add("sadd", SetCommands::sadd)
        .add("scard", call -> call.out.integer(call.setOrEmpty(call.arg(1)).size()))
        .add("sdiff", call -> combine(call, Operation.DIFFERENCE))
        .add("sdiffstore", call -> combineStore(call, Operation.DIFFERENCE))
        .add("sinter", call -> combine(call, Operation.INTERSECTION))
        .add("sintercard", SetCommands::sintercard)
        .add("sinterstore", call -> combineStore(call, Operation.INTERSECTION))
        .add("sismember", SetCommands::sismember)
        .add("smembers", call -> writeSet(call.out, call.setOrEmpty(call.arg(1)).list()))
        .add("smismember", SetCommands::smismember)
        .add("smove", SetCommands::smove)
        .add("spop", SetCommands::spop)
        .add("srandmember", SetCommands::srandmember)
        .add("srem", SetCommands::srem)
        .add("sscan", SetCommands::sscan)
        .add("sunion", call -> combine(call, Operation.UNION))
        .add("sunionstore", call -> combineStore(call, Operation.UNION));
  }

  private static void sadd(Call call) {
    byte[] key = call.arg(1);
    int added = call.howMany(2, call.orNew(key, call.setValue(key), SetValue::new)::add);
    if (added > 0) {
      call.changed(key);
    }
    call.out.integer(added);
  }

  private static void srem(Call call) {
    SetValue set = call.setOrEmpty(call.arg(1));
    call.removeEach(2, set::remove, set::size);
  }

  private static void sismember(Call call) {
    call.out.integer(call.setOrEmpty(call.arg(1)).contains(call.arg(2)) ? 1 : 0);
  }

  private static void smismember(Call call) {
    SetValue set = call.setOrEmpty(call.arg(1));
    call.out.each(call.from(2), member -> call.out.integer(set.contains(member) ? 1 : 0));
  }

  private static void writeSet(Reply out, List<byte[]> members) {
    out.set(members.size());
    members.forEach(out::bulk);
  }

  private static void smove(Call call) {
    SetValue from = call.setValue(call.arg(1));
    if (from == null) {
      call.out.integer(0);
      return;
    }
    SetValue to = call.setValue(call.arg(2));
    byte[] member = call.arg(3);
    if (!from.contains(member)) {
      call.out.integer(0);
      return;
    }
    if (from != to) {
      from.remove(member);
      call.deleteIfEmpty(call.arg(1), from.size());
      call.changed(call.arg(1), "srem");
      if (call.orNew(call.arg(2), to, SetValue::new).add(member)) {
        call.changed(call.arg(2), "sadd");
      }
    }
    call.out.integer(1);
  }

  private static void spop(Call call) {
    Errors.syntaxIf(call.count() > 3);
    boolean many = call.count() == 3;
    long count = many ? call.positive(2) : 1;
    byte[] key = call.arg(1);
    SetValue set = call.setValue(key);
    if (set == null) {
      if (many) {
        call.out.set(0);
      } else {
        call.out.nil();
      }
      return;
    }
    List<byte[]> chosen = new ArrayList<>();
    for (var e : RandomPick.from(call, set.members, count)) {
      chosen.add(e.key);
    }
    chosen.forEach(set::remove);
    if (!chosen.isEmpty()) {
      call.deleteIfEmpty(key, set.size());
      call.changed(key);
      call.effect(removal(key, chosen));
    }
    if (many) {
      writeSet(call.out, chosen);
    } else {
      call.out.bulk(chosen.get(0));
    }
  }

  private static byte[][] removal(byte[] key, List<byte[]> members) {
    List<byte[]> command = new ArrayList<>(List.of(Bytes.of("SREM"), key));
    command.addAll(members);
    return command.toArray(new byte[0][]);
  }

  private static void srandmember(Call call) {
    Errors.syntaxIf(call.count() > 3);
    if (call.count() == 2) {
      RandomPick.one(call, call.setOrEmpty(call.arg(1)).members);
      return;
    }
    long count = RandomPick.count(call);
    var chosen = RandomPick.from(call, call.setOrEmpty(call.arg(1)).members, count);
    call.out.each(chosen, entry -> call.out.bulk(entry.key));
  }

  private static void sscan(Call call) {
    long cursor = Scan.cursor(call, 2);
    SetValue set = call.setValue(call.arg(1));
    Scan scan = set == null ? Scan.ANY : Scan.options(call, 3, false);
    List<byte[]> found = new ArrayList<>();
    if (set == null || set.isIntegers() || (set.isCompact() && call.node.edition().isNewer())) {
      cursor = 0;
      if (set != null) {
        found.addAll(set.list());
        found.removeIf(member -> !scan.matches(member));
      }
    } else {
      cursor =
          scan.walk(
              set.members,
              cursor,
              e -> {
                if (scan.matches(e.key)) {
                  found.add(e.key);
                }
              });
    }
    Scan.reply(call, cursor, found);
  }

  private static List<@Nullable SetValue> sets(Call call, int from, int to) {
    List<@Nullable SetValue> sets = new ArrayList<>();
    for (int i = from; i < to; i++) {
      sets.add(call.setValue(call.arg(i)));
    }
    return sets;
  }

  private static SetValue combined(List<@Nullable SetValue> sets, Operation operation) {
    SetValue result = new SetValue();
    SetValue first = sets.get(0);
    if (operation == Operation.UNION) {
      for (SetValue set : sets) {
        if (set != null) {
          set.list().forEach(result::add);
        }
      }
      return result;
    }
    if (first == null || (operation == Operation.INTERSECTION && sets.contains(null))) {
      return result;
    }
    for (byte[] member : first.list()) {
      boolean keep = true;
      for (SetValue other : sets.subList(1, sets.size())) {
        boolean has = other != null && other.contains(member);
        keep &= has == (operation == Operation.INTERSECTION);
      }
      if (keep) {
        result.add(member);
      }
    }
    return result;
  }

  private static void combine(Call call, Operation operation) {
    writeSet(call.out, combined(sets(call, 1, call.count()), operation).list());
  }

  private static void combineStore(Call call, Operation operation) {
    SetValue result = combined(sets(call, 2, call.count()), operation);
    call.storeOrDelete(call.arg(1), result, result.size());
  }

  private static void sintercard(Call call) {
    long count = call.longArg(1, 1, Long.MAX_VALUE, "ERR numkeys should be greater than 0");
    Errors.refuseIf(
        count > call.count() - 2, "ERR Number of keys can't be greater than number of args");
    int rest = 2 + (int) count;
    long limit = limit(call, rest);
    call.out.integer(Math.min(limit, combined(sets(call, 2, rest), Operation.INTERSECTION).size()));
  }

  /** Parses LIMIT at the end of SINTERCARD or ZINTERCARD; zero means no limit. */
  static long limit(Call call, int from) {
    long limit = 0;
    for (int i = from; i < call.count(); i += 2) {
      Errors.syntaxIf(!call.is(i, "LIMIT") || i + 1 == call.count());
      limit = call.longArg(i + 1, 0, Long.MAX_VALUE, "ERR LIMIT can't be negative");
    }
    return limit == 0 ? Long.MAX_VALUE : limit;
  }
}
