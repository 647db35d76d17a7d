// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import java.math.BigDecimal;
import java.util.Arrays;

/** GET, SET and the other commands on strings. */
final class StringCommands {
  private static final int MAX_LENGTH = 512 * 1024 * 1024;
  private static final String TOO_LONG =
      "ERR string exceeds maximum allowed size (proto-max-bulk-len)";

  static void register(Handlers handlers) {
    handlers
        .add("append", StringCommands::append)
        .add("decr", call -> add(call, -1))
        .add("decrby", StringCommands::decrBy)
        .add("get", StringCommands::get)
        .add("getdel", StringCommands::getDel)
        .add("getex", StringCommands::getEx)
        .add("getrange", StringCommands::getRange)
        .add("getset", StringCommands::getSet)
        .add("incr", call -> add(call, 1))
        .add("incrby", call -> add(call, call.longArg(2)))
        .add("incrbyfloat", StringCommands::incrByFloat)
        .add("lcs", LongestCommonSubsequence::run)
        .add("mget", StringCommands::mget)
        .ok("mset", StringCommands::mset)
        .add("msetnx", StringCommands::msetnx)
        .add("psetex", call -> setEx(call, "PX"))
        .add("set", StringCommands::set)
        .add("setex", call -> setEx(call, "EX"))
        .add("setnx", StringCommands::setNx)
        .add("setrange", StringCommands::setRange)
        .add("strlen", StringCommands::strlen)
        .add("substr", StringCommands::getRange);
  }

  private static void get(Call call) {
    StringValue value = call.string(call.arg(1));
    if (value == null) {
      call.node.counters.misses++;
      call.out.nil();
    } else {
      call.node.counters.hits++;
      call.out.bulk(value.bytes());
    }
  }

  private static void set(Call call) {
    byte[] key = call.arg(1);
    boolean nx = false;
    boolean xx = false;
    boolean get = false;
    boolean keepTtl = false;
    byte[] equal = null;
    long expireAt = Value.NO_EXPIRY;
    for (int i = 3; i < call.count(); i++) {
      String option = call.option(i);
      switch (option) {
        case "NX" -> nx = true;
        case "XX" -> xx = true;
        case "GET" -> get = true;
        case "KEEPTTL" -> keepTtl = true;
        case "EX", "PX", "EXAT", "PXAT" -> {
          Errors.syntaxIf(expireAt != Value.NO_EXPIRY || i + 1 == call.count());
          checkRest(call, i + 2, nx, xx, keepTtl);
          expireAt = ExpiryOption.absolute(call, option, ++i);
        }
        case "IFEQ" -> {
          Errors.syntaxIf(
              !call.node.edition().isValkey() || equal != null || i + 1 == call.count());
          equal = call.arg(++i);
        }
        default -> throw Errors.syntax();
      }
    }
    Errors.syntaxIf(
        (nx && xx) || (equal != null && (nx || xx)) || (keepTtl && expireAt != Value.NO_EXPIRY));
    StringValue old = get || equal != null ? call.string(key) : null;
    // The value is changed in place, so its bytes are read before.
    byte[] former = old == null ? null : old.bytes();
    boolean conditional = nx || xx;
    if ((conditional && (call.db().get(key) != null) == nx)
        || (equal != null && !Arrays.equals(equal, former))) {
      call.out.bulkOrNil(get ? former : null);
      return;
    }
    write(call, key, call.arg(2), expireAt, keepTtl);
    if (get) {
      call.out.bulkOrNil(former);
    } else {
      call.out.ok();
    }
  }

  /** As in Redis, bad options after an expiry are reported before a bad expiry. */
  private static void checkRest(Call call, int from, boolean nx, boolean xx, boolean keepTtl) {
    Errors.syntaxIf(keepTtl);
    for (int i = from; i < call.count(); i++) {
      nx |= call.is(i, "NX");
      xx |= call.is(i, "XX");
      if (call.is(i, "IFEQ") && call.node.edition().isValkey()) {
        i++;
      } else if (!call.is(i, "NX") && !call.is(i, "XX") && !call.is(i, "GET")) {
        throw Errors.syntax();
      }
    }
    Errors.syntaxIf(nx && xx);
  }

  private static void write(Call call, byte[] key, byte[] bytes, long expireAt, boolean keepTtl) {
    StringValue value;
    if (keepTtl) {
      value = new StringValue(bytes);
      call.db().get(key);
      call.db().replace(key, value);
    } else {
      value = call.db().putString(key, bytes);
    }
    if (expireAt != Value.NO_EXPIRY) {
      call.db().expireAt(key, value, expireAt);
    }
    call.changed(key, "set");
    if (expireAt != Value.NO_EXPIRY) {
      call.notifyGeneric("expire", key);
    }
  }

  private static void setEx(Call call, String unit) {
    long expireAt = ExpiryOption.absolute(call, unit, 2);
    write(call, call.arg(1), call.arg(3), expireAt, false);
    call.out.ok();
  }

  private static void setNx(Call call) {
    if (call.db().get(call.arg(1)) != null) {
      call.out.integer(0);
      return;
    }
    write(call, call.arg(1), call.arg(2), Value.NO_EXPIRY, false);
    call.out.integer(1);
  }

  private static void getSet(Call call) {
    StringValue old = call.string(call.arg(1));
    byte[] former = old == null ? null : old.bytes();
    write(call, call.arg(1), call.arg(2), Value.NO_EXPIRY, false);
    call.out.bulkOrNil(former);
  }

  private static void getDel(Call call) {
    StringValue value = call.string(call.arg(1));
    if (value == null) {
      call.out.nil();
      return;
    }
    call.delete(call.arg(1));
    call.out.bulk(value.bytes());
  }

  private static void getEx(Call call) {
    byte[] key = call.arg(1);
    String option = call.count() > 2 ? call.option(2) : "";
    boolean persist = option.equals("PERSIST") && call.count() == 3;
    boolean timed = call.count() == 4 && option.matches("EX|PX|EXAT|PXAT");
    Errors.syntaxIf(call.count() > 2 && !persist && !timed);
    StringValue value = call.string(key);
    if (value == null) {
      call.out.nil();
      return;
    }
    long expireAt = timed ? ExpiryOption.absolute(call, option, 3) : Value.NO_EXPIRY;
    byte[] bytes = value.bytes();
    if (timed && expireAt <= call.now()) {
      call.delete(key);
    } else if (timed || (persist && value.expireAt() != Value.NO_EXPIRY)) {
      call.db().expireAt(key, value, expireAt);
      call.db().changed(key);
      call.node.dirtied();
      call.notifyGeneric(timed ? "expire" : "persist", key);
    }
    call.out.bulk(bytes);
  }

  private static void mget(Call call) {
    call.out.array(call.count() - 1);
    for (int i = 1; i < call.count(); i++) {
      if (call.db().get(call.arg(i)) instanceof StringValue value) {
        call.node.counters.hits++;
        call.out.bulk(value.bytes());
      } else {
        call.node.counters.misses++;
        call.out.nil();
      }
    }
  }

  private static void mset(Call call) {
    checkPairs(call);
    for (int i = 1; i < call.count(); i += 2) {
      write(call, call.arg(i), call.arg(i + 1), Value.NO_EXPIRY, false);
    }
  }

  private static void checkPairs(Call call) {
    Errors.arityIf(call.count() % 2 == 0, call);
  }

  private static void msetnx(Call call) {
    checkPairs(call);
    for (int i = 1; i < call.count(); i += 2) {
      if (call.db().get(call.arg(i)) != null) {
        call.out.integer(0);
        return;
      }
    }
    for (int i = 1; i < call.count(); i += 2) {
      write(call, call.arg(i), call.arg(i + 1), Value.NO_EXPIRY, false);
    }
    call.out.integer(1);
  }

  private static void append(Call call) {
    byte[] key = call.arg(1);
    byte[] more = call.arg(2);
    StringValue value = call.string(key);
    if (value == null) {
      call.store(key, new StringValue(more));
      call.out.integer(more.length);
      return;
    }
    int length = value.length();
    checkLength((long) length + more.length);
    System.arraycopy(more, 0, value.edit(length + more.length), length, more.length);
    call.changed(key);
    call.out.integer(length + (long) more.length);
  }

  static void checkLength(long length) {
    Errors.refuseIf(length > MAX_LENGTH, TOO_LONG);
  }

  private static void strlen(Call call) {
    StringValue value = call.string(call.arg(1));
    call.out.integer(value == null ? 0 : value.length());
  }

  private static void decrBy(Call call) {
    long by = call.longArg(2);
    Errors.refuseIf(by == Long.MIN_VALUE, "ERR decrement would overflow");
    add(call, -by);
  }

  private static void add(Call call, long by) {
    byte[] key = call.arg(1);
    StringValue value = call.string(key);
    Long now =
        Errors.found(
            value == null ? Long.valueOf(0) : Numbers.parseLong(value.bytes()), Errors.NOT_INTEGER);
    long sum = now + by;
    Errors.refuseIf(((now ^ sum) & (by ^ sum)) < 0, "ERR increment or decrement would overflow");
    if (value == null) {
      call.db().put(key, new StringValue(Bytes.ofLong(sum)));
    } else {
      value.become(Bytes.ofLong(sum));
    }
    call.changed(key, "incrby");
    call.out.integer(sum);
  }

  private static void incrByFloat(Call call) {
    byte[] key = call.arg(1);
    StringValue value = call.string(key);
    BigDecimal now = value == null ? BigDecimal.ZERO : Numbers.parseExtended(value.bytes());
    BigDecimal by = Numbers.parseExtended(call.arg(2));
    if (now == null) {
      throw value != null && isInfinite(value.bytes())
          ? Errors.of("ERR increment would produce NaN or Infinity")
          : Errors.of(Errors.NOT_FLOAT);
    }
    if (by == null) {
      throw Double.valueOf(0).equals(Numbers.parseDouble(call.arg(2)))
              || Numbers.parseDouble(call.arg(2)) == null
          ? Errors.of(Errors.NOT_FLOAT)
          : Errors.of("ERR increment would produce NaN or Infinity");
    }
    byte[] sum = Bytes.latin(Numbers.formatExtended(Numbers.extended(now.add(by))));
    call.db().replace(key, StringValue.text(sum));
    call.changed(key);
    call.effect(Bytes.of("SET"), key, sum, Bytes.of("KEEPTTL"));
    call.out.bulk(sum);
  }

  private static boolean isInfinite(byte[] bytes) {
    Double number = Numbers.parseDouble(bytes);
    return number != null && number.isInfinite();
  }

  private static void getRange(Call call) {
    long start = call.longArg(2);
    long end = call.longArg(3);
    StringValue value = call.string(call.arg(1));
    if (value == null) {
      call.out.bulk(Bytes.EMPTY);
      return;
    }
    int length = value.length();
    if (start < 0 && end < 0 && start > end) {
      call.out.bulk(Bytes.EMPTY);
      return;
    }
    start = Math.max(0, start < 0 ? start + length : start);
    end = Math.min(length - 1L, Math.max(0, end < 0 ? end + length : end));
    if (start > end || length == 0) {
      call.out.bulk(Bytes.EMPTY);
    } else {
      call.out.bulk(Arrays.copyOfRange(value.bytes(), (int) start, (int) end + 1));
    }
  }

  private static void setRange(Call call) {
    byte[] key = call.arg(1);
    long offset = call.longArg(2);
    byte[] part = call.arg(3);
    Errors.refuseIf(offset < 0, "ERR offset is out of range");
    StringValue value = call.string(key);
    if (part.length == 0) {
      call.out.integer(value == null ? 0 : value.length());
      return;
    }
    Errors.refuseIf(offset > MAX_LENGTH - part.length, TOO_LONG);
    value = call.orNew(key, value, () -> new StringValue(Bytes.EMPTY));
    int end = (int) offset + part.length;
    System.arraycopy(part, 0, value.edit(end), (int) offset, part.length);
    call.changed(key);
    call.out.integer(value.length());
  }
}
