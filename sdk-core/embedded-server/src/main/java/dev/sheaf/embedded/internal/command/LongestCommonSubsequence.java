// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.data.StringValue;
import dev.sheaf.embedded.internal.data.Value;
import dev.sheaf.embedded.internal.protocol.Reply;
import java.util.ArrayList;
import java.util.List;

/** LCS. */
final class LongestCommonSubsequence {
  private static final long MAX_CELLS = 512L * 1024 * 1024 / Integer.BYTES;

  private record Match(int aFrom, int aTo, int bFrom, int bTo) {
    int length() {
      return aTo - aFrom + 1;
    }
  }

  static void run(Call call) {
    byte[] a = bytes(call, 1);
    byte[] b = bytes(call, 2);
    boolean len = false;
    boolean idx = false;
    boolean withLengths = false;
    long minimum = 0;
    for (int i = 3; i < call.count(); i++) {
      switch (call.option(i)) {
        case "IDX" -> idx = true;
        case "LEN" -> len = true;
        case "WITHMATCHLEN" -> withLengths = true;
        case "MINMATCHLEN" -> minimum = Math.max(0, call.longArg(call.next(i++)));
        default -> throw Errors.syntax();
      }
    }
    Errors.refuseIf(
        idx && len, "ERR If you want both the length and indexes, please just use IDX.");
    Errors.refuseIf(
        (a.length + 1L) * (b.length + 1L) > MAX_CELLS,
        "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
    int[][] table = table(a, b);
    if (len) {
      call.out.integer(table[a.length][b.length]);
    } else if (idx) {
      writeMatches(call.out, matches(a, b, table, minimum), table[a.length][b.length], withLengths);
    } else {
      call.out.bulk(common(a, b, table));
    }
  }

  private static byte[] bytes(Call call, int at) {
    Value value = call.value(call.arg(at));
    if (value == null) {
      return Bytes.EMPTY;
    }
    if (value instanceof StringValue string) {
      return string.bytes();
    }
    throw Errors.of("ERR The specified keys must contain string values");
  }

  private static int[][] table(byte[] a, byte[] b) {
    int[][] t = new int[a.length + 1][b.length + 1];
    for (int i = 1; i <= a.length; i++) {
      for (int j = 1; j <= b.length; j++) {
        t[i][j] = a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1 : Math.max(t[i - 1][j], t[i][j - 1]);
      }
    }
    return t;
  }

  private static byte[] common(byte[] a, byte[] b, int[][] t) {
    int left = t[a.length][b.length];
    byte[] common = new byte[left];
    int i = a.length;
    int j = b.length;
    while (i > 0 && j > 0) {
      if (a[i - 1] == b[j - 1]) {
        common[--left] = a[i - 1];
        i--;
        j--;
      } else if (t[i - 1][j] > t[i][j - 1]) {
        i--;
      } else {
        j--;
      }
    }
    return common;
  }

  private static List<Match> matches(byte[] a, byte[] b, int[][] t, long minimum) {
    List<Match> found = new ArrayList<>();
    int i = a.length;
    int j = b.length;
    int aEnd = -1;
    int bEnd = -1;
    while (i > 0 && j > 0) {
      if (a[i - 1] == b[j - 1]) {
        if (aEnd < 0) {
          aEnd = i - 1;
          bEnd = j - 1;
        }
        i--;
        j--;
        if (i == 0 || j == 0 || a[i - 1] != b[j - 1]) {
          Match match = new Match(i, aEnd, j, bEnd);
          if (match.length() >= minimum) {
            found.add(match);
          }
          aEnd = -1;
        }
      } else if (t[i - 1][j] > t[i][j - 1]) {
        i--;
      } else {
        j--;
      }
    }
    return found;
  }

  private static void writeMatches(
      Reply out, List<Match> matches, int length, boolean withLengths) {
    out.map(2);
    out.key("matches").array(matches.size());
    for (Match match : matches) {
      out.array(withLengths ? 3 : 2);
      out.list(match.aFrom(), match.aTo());
      out.list(match.bFrom(), match.bTo());
      if (withLengths) {
        out.integer(match.length());
      }
    }
    out.key("len").integer(length);
  }
}
