// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Numbers;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import java.util.function.Consumer;

/** OBJECT: how values are stored. */
final class ObjectCommand {
  private static final int SHARED_INTEGERS = 10_000;

  /** The reply of OBJECT REFCOUNT for a shared value. */
  private static final long SHARED = Integer.MAX_VALUE;

  /** Replies a property of the value; nil without a value. */
  private static void describe(Call call, Consumer<Value> reply) {
    call.out.orNil(call.db().peek(call.arg(2)), reply);
  }

  static void encoding(Call call) {
    describe(call, value -> call.out.bulk(value.encoding(call.node.encodings())));
  }

  static void frequency(Call call) {
    describe(
        call,
        value -> {
          throw Errors.of(
              "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please"
                  + " note that when switching between policies at runtime LRU and LFU data will"
                  + " take some time to adjust.");
        });
  }

  static void idleTime(Call call) {
    describe(call, value -> call.out.integer((call.now() - value.usedAt()) / 1000));
  }

  /** The small integers of which a server shares one object. */
  private static boolean isShared(Value value) {
    Long number =
        value instanceof StringValue s && !s.isCopy() && s.isInteger()
            ? Numbers.parseLong(s.bytes())
            : null;
    return number != null && number >= 0 && number < SHARED_INTEGERS;
  }

  static void references(Call call) {
    describe(call, value -> call.out.integer(isShared(value) ? SHARED : 1));
  }
}
