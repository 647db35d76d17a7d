// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Glob;
import dev.sheaf.embedded.internal.data.Value;
import dev.sheaf.embedded.internal.protocol.CommandException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The options of SCAN, HSCAN, SSCAN and ZSCAN, and their common iteration. */
record Scan(long count, byte @Nullable [] pattern, @Nullable String type, boolean namesOnly) {
  private static final int DEFAULT_COUNT = 10;
  private static final int VISITS_PER_COUNT = 10;

  /** The options of a scan of a missing key, which Redis does not parse. */
  static final Scan ANY = new Scan(DEFAULT_COUNT, null, null, false);

  static long cursor(Call call, int at) {
    String digits = Bytes.untilNul(call.arg(at));
    // As strtoul: empty text is zero, and negative numbers wrap around.
    boolean negative = digits.startsWith("-");
    if (call.node.edition().isNewer() && (negative || digits.isEmpty())) {
      throw invalidCursor();
    }
    if (digits.isEmpty()) {
      return 0;
    }
    try {
      long value = Long.parseUnsignedLong(negative ? digits.substring(1) : digits);
      if (negative && digits.startsWith("+", 1)) {
        throw invalidCursor();
      }
      return negative ? -value : value;
    } catch (NumberFormatException e) {
      throw invalidCursor();
    }
  }

  /** The next cursor, and the matches. */
  static void reply(Call call, long cursor, List<byte[]> found) {
    call.out.list(Long.toUnsignedString(cursor), found);
  }

  private static CommandException invalidCursor() {
    return Errors.of("ERR invalid cursor");
  }

  static Scan options(Call call, int from, boolean typed) {
    long count = DEFAULT_COUNT;
    byte[] pattern = null;
    String type = null;
    boolean namesOnly = false;
    boolean mayBeNamesOnly = call.command.name().equals("hscan") && isOfNewest(call);
    for (int i = from; i < call.count(); i += 2) {
      if (mayBeNamesOnly && call.is(i, "NOVALUES")) {
        namesOnly = true;
        i--;
        continue;
      }
      byte[] given = call.arg(call.next(i));
      switch (call.option(i)) {
        case "COUNT" -> {
          count = call.longArg(i + 1);
          Errors.syntaxIf(count < 1);
        }
        case "MATCH" -> pattern = given.length == 1 && given[0] == '*' ? null : given;
        case "TYPE" -> {
          Errors.syntaxIf(!typed);
          type = Bytes.lower(given);
        }
        default -> throw Errors.syntax();
      }
    }
    return new Scan(count, pattern, type, namesOnly);
  }

  /** Returns whether the server is Redis 7.4 or newer, or Valkey 8, which behaves alike. */
  static boolean isOfNewest(Call call) {
    return call.node.edition().has("7.4.0") || call.node.edition().isValkey();
  }

  boolean matches(byte[] key) {
    return pattern == null || Glob.matches(pattern, key);
  }

  boolean hasType(Value value) {
    return type == null || type.equals(value.type());
  }

  /** Visits about as many entries as requested. Returns the next cursor. */
  <V> long walk(ByteMap<V> map, long cursor, Consumer<ByteMap.Entry<V>> visitor) {
    long[] seen = {0};
    long visits = count > Long.MAX_VALUE / VISITS_PER_COUNT ? count : count * VISITS_PER_COUNT;
    do {
      cursor =
          map.scan(
              cursor,
              entry -> {
                seen[0]++;
                visitor.accept(entry);
              });
    } while (cursor != 0 && seen[0] < count && --visits > 0);
    return cursor;
  }
}
