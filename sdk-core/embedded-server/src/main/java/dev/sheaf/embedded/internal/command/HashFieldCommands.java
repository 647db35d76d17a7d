// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.HashValue;
import dev.sheaf.embedded.internal.data.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** HEXPIRE, HTTL, HGETEX and the other commands on fields with a time to live. */
final class HashFieldCommands {
  /** The latest expiry of a field, in milliseconds since the epoch. As Redis. */
  private static final long LAST_DEADLINE = ((1L << 48) - 2) >> 2;

  private static final String COUNT = "ERR Number of fields must be a positive integer";
  private static final Set<String> TIMES = Set.of("EX", "PX", "EXAT", "PXAT");

  // The replies of HEXPIRE and related commands, per field.
  private static final int NO_FIELD = -2;
  private static final int NO_DEADLINE = -1;
  private static final int NOT_MET = 0;
  private static final int DONE = 1;
  private static final int DELETED = 2;

  static void register(Handlers handlers) {
    handlers
        .add("hexpire", call -> expire(call, true, false))
        .add("hexpireat", call -> expire(call, true, true))
        .add("hexpiretime", call -> ttl(call, true, true))
        .add("hgetdel", HashFieldCommands::getAndDelete)
        .add("hgetex", HashFieldCommands::getAndExpire)
        .add("hpersist", HashFieldCommands::persist)
        .add("hpexpire", call -> expire(call, false, false))
        .add("hpexpireat", call -> expire(call, false, true))
        .add("hpexpiretime", call -> ttl(call, false, true))
        .add("hpttl", call -> ttl(call, false, false))
        .add("hsetex", HashFieldCommands::setAndExpire)
        .add("httl", call -> ttl(call, true, false));
  }

  /** Returns the fields after {@code FIELDS numfields}, which starts at {@code at}. */
  private static List<byte[]> fields(Call call, int at, String wrongCount) {
    Errors.refuseIf(
        at + 1 >= call.count() || !call.is(at, "FIELDS"),
        "ERR Mandatory argument FIELDS is missing or not at the right position");
    long count = call.longArg(at + 1, 1, Long.MAX_VALUE, wrongCount);
    Errors.refuseIf(
        count != call.count() - at - 2,
        "ERR The `numfields` parameter must match the number of arguments");
    return List.of(call.args).subList(at + 2, call.count());
  }

  private static long deadline(Call call, int at, boolean seconds, boolean absolute) {
    long value = call.longArg(at);
    Errors.refuseIf(value < 0, "ERR invalid expire time, must be >= 0");
    long base = absolute ? 0 : call.now();
    if (seconds && value > LAST_DEADLINE / 1000) {
      throw ExpiryOption.invalid(call);
    }
    long millis = seconds ? value * 1000 : value;
    if (millis > LAST_DEADLINE - base) {
      throw ExpiryOption.invalid(call);
    }
    return base + millis;
  }

  /** Returns the expiry for EX, PX, EXAT or PXAT (in upper case) at {@code at}. */
  private static long deadline(Call call, int at, String unit) {
    return deadline(call, at + 1, unit.startsWith("E"), unit.endsWith("AT"));
  }

  /** Sets the expiry of a field; a past one removes it. Returns true if it still exists. */
  private static boolean expire(Call call, HashValue hash, byte[] field, long deadline) {
    if (deadline <= call.now()) {
      hash.remove(field);
      return false;
    }
    call.db().expireField(call.arg(1), hash, field, deadline);
    return true;
  }

  /** Publishes events for the removed fields, and for the hash if it is empty now. */
  private static void removed(Call call, HashValue hash) {
    call.deleteIfEmpty(call.arg(1), hash.size());
    call.changed(call.arg(1), "hdel");
  }

  private static void expire(Call call, boolean seconds, boolean absolute) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    long deadline = deadline(call, 2, seconds, absolute);
    boolean conditional = Set.of("NX", "XX", "GT", "LT").contains(call.option(3));
    List<byte[]> fields =
        fields(call, conditional ? 4 : 3, "ERR Parameter `numFields` should be greater than 0");
    String condition = conditional ? call.option(3) : "";
    ExpireCondition allowed = ExpireCondition.of(condition);
    hash.makeRoomForDeadlines();
    List<Integer> answers = new ArrayList<>();
    int updated = 0;
    int deleted = 0;
    for (byte[] field : fields) {
      if (!hash.fields.contains(field)) {
        answers.add(NO_FIELD);
      } else if (!allowed.allows(hash.deadline(field), deadline)) {
        answers.add(NOT_MET);
      } else if (expire(call, hash, field, deadline)) {
        answers.add(DONE);
        updated++;
      } else {
        answers.add(DELETED);
        deleted++;
      }
    }
    if (updated > 0) {
      call.changed(call.arg(1));
    }
    if (deleted > 0) {
      removed(call, hash);
    }
    call.out.each(answers, answer -> call.out.integer(answer));
  }

  private static void ttl(Call call, boolean seconds, boolean absolute) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    List<byte[]> fields = fields(call, 2, COUNT);
    call.out.array(fields.size());
    for (byte[] field : fields) {
      long deadline = hash.deadline(field);
      if (!hash.fields.contains(field)) {
        call.out.integer(NO_FIELD);
      } else if (deadline == Value.NO_EXPIRY) {
        call.out.integer(NO_DEADLINE);
      } else {
        long millis = deadline - (absolute ? 0 : call.now());
        call.out.integer(seconds ? (millis + 999) / 1000 : millis);
      }
    }
  }

  private static void persist(Call call) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    List<byte[]> fields = fields(call, 2, COUNT);
    List<Integer> answers = new ArrayList<>();
    boolean changed = false;
    for (byte[] field : fields) {
      if (!hash.fields.contains(field)) {
        answers.add(NO_FIELD);
      } else if (hash.deadline(field) == Value.NO_EXPIRY) {
        answers.add(NO_DEADLINE);
      } else {
        call.db().expireField(call.arg(1), hash, field, Value.NO_EXPIRY);
        answers.add(DONE);
        changed = true;
      }
    }
    if (changed) {
      call.changed(call.arg(1));
    }
    call.out.each(answers, answer -> call.out.integer(answer));
  }

  private static void getAndDelete(Call call) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    List<byte[]> fields = fields(call, 2, COUNT);
    List<byte @Nullable []> values = new ArrayList<>();
    boolean any = false;
    for (byte[] field : fields) {
      values.add(hash.fields.get(field));
      any |= hash.remove(field);
    }
    if (any) {
      removed(call, hash);
    }
    call.out.each(values, call.out::bulkOrNil);
  }

  private static void getAndExpire(Call call) {
    HashValue hash = call.hashOrEmpty(call.arg(1));
    String option = call.option(2);
    boolean timed = TIMES.contains(option);
    boolean persists = option.equals("PERSIST");
    long deadline = timed ? deadline(call, 2, option) : Value.NO_EXPIRY;
    List<byte[]> fields = fields(call, timed ? 4 : persists ? 3 : 2, COUNT);
    List<byte @Nullable []> values = new ArrayList<>();
    boolean changed = false;
    if (timed || persists) {
      hash.makeRoomForDeadlines();
    }
    for (byte[] field : fields) {
      values.add(hash.fields.get(field));
      changed |= (timed || persists) && changeDeadline(call, hash, field, deadline);
    }
    if (changed) {
      if (timed && deadline <= call.now()) {
        removed(call, hash);
      } else {
        call.changed(call.arg(1), timed ? "hexpire" : "hpersist");
      }
    }
    call.out.each(values, call.out::bulkOrNil);
  }

  /** Sets or removes the expiry of a field. Returns whether that changed it. */
  private static boolean changeDeadline(Call call, HashValue hash, byte[] field, long deadline) {
    if (!hash.fields.contains(field)) {
      return false;
    }
    if (deadline != Value.NO_EXPIRY) {
      expire(call, hash, field, deadline);
      return true;
    }
    if (hash.deadline(field) == Value.NO_EXPIRY) {
      return false;
    }
    call.db().expireField(call.arg(1), hash, field, Value.NO_EXPIRY);
    return true;
  }

  /** The options of HSETEX. */
  private static final class SetOptions {
    private boolean onlyNew;
    private boolean onlyKnown;
    private boolean keepTtl;
    private boolean timed;
    private long deadline = Value.NO_EXPIRY;
    private int firstField;
    private int fields;

    SetOptions(Call call) {
      for (int i = 2; i < call.count(); i++) {
        String option = call.option(i);
        switch (option) {
          case "FNX", "FXX" -> {
            Errors.refuseIf(
                onlyNew || onlyKnown, "ERR Only one of FXX or FNX arguments can be specified");
            onlyNew = option.equals("FNX");
            onlyKnown = !onlyNew;
          }
          case "KEEPTTL", "EX", "PX", "EXAT", "PXAT" -> {
            Errors.refuseIf(
                keepTtl || timed,
                "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
            keepTtl = option.equals("KEEPTTL");
            timed = !keepTtl;
            if (timed && i + 1 < call.count()) {
              deadline = deadline(call, i, option);
              i++;
            }
          }
          case "FIELDS" -> i = fields(call, i);
          default -> throw Errors.of("ERR unknown argument: " + call.textOfC(i));
        }
      }
      Errors.refuseIf(firstField == 0, "ERR missing FIELDS argument");
    }

    /** Returns the last argument of the list, the command's last argument. */
    private int fields(Call call, int at) {
      Errors.arityIf(call.count() - at < 4, call);
      long count = call.longArg(at + 1, 1, Integer.MAX_VALUE, "ERR invalid number of fields");
      Errors.arityIf(2 * count != call.count() - at - 2, call);
      firstField = at + 2;
      fields = (int) count;
      return at + 1 + 2 * fields;
    }

    byte[] field(Call call, int i) {
      return call.arg(firstField + 2 * i);
    }

    boolean isMet(Call call, @Nullable HashValue hash) {
      for (int i = 0; i < fields; i++) {
        boolean known = hash != null && hash.fields.contains(field(call, i));
        if (known ? onlyNew : onlyKnown) {
          return false;
        }
      }
      return true;
    }
  }

  private static void setAndExpire(Call call) {
    SetOptions options = new SetOptions(call);
    long deadline = options.deadline;
    if (!options.isMet(call, call.hash(call.arg(1)))) {
      call.out.integer(0);
      return;
    }
    HashValue hash = HashCommands.orNew(call);
    boolean passed = options.timed && deadline <= call.now();
    for (int i = 0; i < options.fields; i++) {
      byte[] field = options.field(call, i);
      byte[] value = call.arg(options.firstField + 2 * i + 1);
      if (options.keepTtl) {
        hash.putKeepingTtl(field, value);
      } else {
        hash.put(field, value);
      }
      if (options.timed) {
        expire(call, hash, field, deadline);
      }
    }
    call.changed(call.arg(1));
    if (passed) {
      removed(call, hash);
    } else if (options.timed) {
      call.notifyOf("hexpire", call.arg(1));
    }
    call.out.integer(1);
  }
}
