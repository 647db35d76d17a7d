// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.HyperLogLog;
import dev.sheaf.embedded.internal.data.StringValue;
import org.jspecify.annotations.Nullable;

/** PFADD and the other commands that count distinct elements. */
final class HyperLogLogCommands {
  static void register(Handlers handlers) {
    handlers
        .add("pfadd", intact(HyperLogLogCommands::add))
        .add("pfcount", intact(HyperLogLogCommands::count))
        .add("pfdebug", intact(HyperLogLogCommands::debug))
        .ok("pfmerge", intact(HyperLogLogCommands::merge));
  }

  private static Handler intact(Handler handler) {
    return call -> {
      try {
        handler.run(call);
      } catch (HyperLogLog.CorruptException e) {
        throw Errors.of("INVALIDOBJ Corrupted HLL object detected");
      }
    };
  }

  private static int maxSparseBytes(Call call) {
    long bytes = call.node.config.number("hll-sparse-max-bytes");
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, bytes));
  }

  private static @Nullable StringValue value(Call call, int at) {
    StringValue value = call.string(call.arg(at));
    Errors.refuseIf(
        value != null && !HyperLogLog.isOne(value.bytes()),
        "WRONGTYPE Key is not a valid HyperLogLog string value.");
    return value;
  }

  /** Returns the value for reading only. */
  private static HyperLogLog read(Call call, StringValue value) {
    return HyperLogLog.over(value.bytes(), maxSparseBytes(call));
  }

  /** Returns the value for a change; call {@link #store} afterwards. */
  private static HyperLogLog write(Call call, @Nullable StringValue value) {
    return value == null
        ? HyperLogLog.create(maxSparseBytes(call))
        : HyperLogLog.over(value.edit(value.length()), maxSparseBytes(call));
  }

  private static void store(Call call, int at, @Nullable StringValue value, HyperLogLog counted) {
    byte[] bytes = counted.bytes();
    if (value == null || value.edit(value.length()) != bytes) {
      call.db().replace(call.arg(at), StringValue.raw(bytes));
    }
  }

  private static void add(Call call) {
    StringValue value = value(call, 1);
    HyperLogLog counted = write(call, value);
    boolean raised = value == null;
    try {
      for (int i = 2; i < call.count(); i++) {
        raised |= counted.add(call.arg(i));
      }
    } catch (HyperLogLog.CorruptException e) {
      if (raised) {
        counted.outdate();
      }
      store(call, 1, value, counted);
      throw e;
    }
    if (raised) {
      counted.outdate();
      store(call, 1, value, counted);
      call.changed(call.arg(1));
    }
    call.out.integer(raised ? 1 : 0);
  }

  private static void count(Call call) {
    if (call.count() > 2) {
      call.out.integer(HyperLogLog.estimate(highest(call, new boolean[1])));
      return;
    }
    StringValue value = value(call, 1);
    if (value == null) {
      call.out.integer(0);
      return;
    }
    HyperLogLog counted = read(call, value);
    if (counted.isOutdated()) {
      keepCount(call, value);
      counted = read(call, value);
    }
    call.out.integer(counted.knownCount());
  }

  /** The count is part of the value, so this read changes it, also on the replicas. */
  private static void keepCount(Call call, StringValue value) {
    long estimate = HyperLogLog.estimate(read(call, value).registers());
    write(call, value).knownCount(estimate);
    call.db().changed(call.arg(1));
    call.node.dirtied();
    if (!call.node.replicas.isEmpty()) {
      call.node.propagate(call.client.dbIndex, call.args);
    }
  }

  /** Returns the highest value of each register in all keys. */
  private static byte[] highest(Call call, boolean[] anyDense) {
    byte[] highest = new byte[HyperLogLog.REGISTERS];
    for (int i = 1; i < call.count(); i++) {
      StringValue value = value(call, i);
      if (value == null) {
        continue;
      }
      HyperLogLog counted = read(call, value);
      anyDense[0] |= counted.isDense();
      byte[] registers = counted.registers();
      for (int register = 0; register < registers.length; register++) {
        highest[register] = (byte) Math.max(highest[register], registers[register]);
      }
    }
    return highest;
  }

  private static void merge(Call call) {
    boolean[] anyDense = new boolean[1];
    byte[] highest = highest(call, anyDense);
    StringValue value = value(call, 1);
    HyperLogLog counted = write(call, value);
    if (anyDense[0]) {
      counted.makeDense();
    }
    counted.raiseAll(highest);
    counted.outdate();
    store(call, 1, value, counted);
    call.changed(call.arg(1));
  }

  private static void debug(Call call) {
    StringValue value = Errors.found(value(call, 2), "ERR The specified key does not exist");
    HyperLogLog counted = read(call, value);
    boolean dense = counted.isDense();
    switch (Bytes.lower(call.arg(1))) {
      case "getreg" -> {
        byte[] registers = counted.registers();
        makeDense(call, value);
        call.out.array(registers.length);
        for (byte register : registers) {
          call.out.integer(register);
        }
      }
      case "decode" -> {
        Errors.refuseIf(dense, "ERR HLL encoding is not sparse");
        call.out.bulk(counted.runs());
      }
      case "encoding" -> call.out.status(dense ? "dense" : "sparse");
      case "todense" -> {
        makeDense(call, value);
        call.out.integer(dense ? 0 : 1);
      }
      default -> throw Errors.of("ERR Unknown PFDEBUG subcommand '" + call.textOfC(1) + "'");
    }
  }

  private static void makeDense(Call call, StringValue value) {
    HyperLogLog counted = write(call, value);
    if (counted.isDense()) {
      return;
    }
    counted.makeDense();
    store(call, 2, value, counted);
    call.node.dirtied();
  }
}
