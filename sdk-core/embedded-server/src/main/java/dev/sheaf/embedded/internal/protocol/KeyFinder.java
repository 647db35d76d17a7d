// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.Numbers;
import java.util.stream.IntStream;

/** Finds the keys of a command among its arguments. */
@FunctionalInterface
public interface KeyFinder {
  /** Returns the positions of the keys; the command itself is argument 0. */
  int[] find(byte[][] args);

  /** A negative {@code last} counts from the end: -1 is the last argument. */
  static KeyFinder range(int first, int last, int step) {
    return args -> {
      int end = last < 0 ? args.length + last : Math.min(last, args.length - 1);
      return end < first ? new int[0] : places(first, (end - first) / step + 1, step);
    };
  }

  /** A number of keys at {@code countAt}, followed by the keys. */
  static KeyFinder counted(int countAt) {
    return args -> countedKeys(args, countAt);
  }

  /** A destination, then a number of keys and the keys. */
  static int[] storeCounted(byte[][] args) {
    int[] sources = countedKeys(args, 2);
    if (sources.length == 0) {
      return sources;
    }
    IntStream destination = IntStream.of(1);
    // If the number is malformed, Redis finds the keys in another way, and so in another order.
    return Numbers.parseLong(args[2]) == null
        ? IntStream.concat(IntStream.of(sources), destination).toArray()
        : IntStream.concat(destination, IntStream.of(sources)).toArray();
  }

  /** SORT: the key, and the argument of STORE. */
  static int[] sort(byte[][] args) {
    int store = 0;
    for (int i = 2; i < args.length - 1; i++) {
      if (Bytes.is(args[i], "LIMIT")) {
        i += 2;
      } else if (Bytes.is(args[i], "GET") || Bytes.is(args[i], "BY")) {
        i++;
      } else if (Bytes.is(args[i], "STORE")) {
        store = i + 1;
      }
    }
    return store == 0 ? new int[] {1} : new int[] {1, store};
  }

  /** MIGRATE: the key, or the arguments of KEYS. */
  static int[] migrate(byte[][] args) {
    if (args.length > 3 && args[3].length > 0) {
      return new int[] {3};
    }
    for (int i = 6; i < args.length; i++) {
      if (Bytes.is(args[i], "KEYS")) {
        return IntStream.range(i + 1, args.length).toArray();
      }
    }
    return new int[0];
  }

  /** XREAD: the first half of the arguments of STREAMS. */
  static int[] streams(byte[][] args) {
    for (int i = 1; i < args.length; i++) {
      if (Bytes.is(args[i], "GROUP")) {
        i += 2;
      } else if (Bytes.is(args[i], "STREAMS")) {
        int keys = (args.length - i - 1) / 2;
        return IntStream.range(i + 1, i + 1 + keys).toArray();
      } else if (Bytes.is(args[i], "BLOCK") || Bytes.is(args[i], "COUNT")) {
        i++;
      }
    }
    return new int[0];
  }

  /** GEORADIUS: the key, and the argument of STORE or STOREDIST. */
  static KeyFinder geoStore(int optionsAt) {
    return args -> {
      int store = 0;
      for (int i = optionsAt; i < args.length - 1; i++) {
        if (Bytes.is(args[i], "STORE") || Bytes.is(args[i], "STOREDIST")) {
          store = ++i;
        }
      }
      return store == 0 ? new int[] {1} : new int[] {1, store};
    };
  }

  private static int[] countedKeys(byte[][] args, int countAt) {
    int count = countAt < args.length ? leadingInteger(args[countAt]) : 0;
    if (count < 1 || count > args.length - countAt - 1) {
      return new int[0];
    }
    return places(countAt + 1, count, 1);
  }

  private static int[] places(int from, int count, int step) {
    int[] places = new int[count];
    for (int i = 0; i < count; i++) {
      places[i] = from + i * step;
    }
    return places;
  }

  /** As C's atoi, but zero if out of range. */
  private static int leadingInteger(byte[] arg) {
    Long whole = Numbers.parseLong(arg);
    return whole == null ? leadingDigits(arg) : fitting(whole);
  }

  private static int leadingDigits(byte[] arg) {
    String text = Bytes.text(arg).stripLeading();
    int end = text.startsWith("+") || text.startsWith("-") ? 1 : 0;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    Long value =
        Numbers.parseLong(Bytes.latin(text.substring(0, end).replaceFirst("^\\+?0*(?=[0-9])", "")));
    return value == null ? 0 : fitting(value);
  }

  private static int fitting(long value) {
    return (int) value == value ? (int) value : 0;
  }
}
