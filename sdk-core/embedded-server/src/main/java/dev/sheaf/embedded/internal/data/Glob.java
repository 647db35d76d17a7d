// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/** Glob patterns as KEYS, SCAN, PSUBSCRIBE and CONFIG GET use them: {@code * ? [a-z] [^a] \x}. */
public final class Glob {
  private Glob() {}

  public static boolean matches(byte[] pattern, byte[] text) {
    return matches(pattern, 0, text, 0, false, new boolean[1]);
  }

  public static boolean matchesIgnoringCase(byte[] pattern, byte[] text) {
    return matches(pattern, 0, text, 0, true, new boolean[1]);
  }

  // `stop` ends the search of outer stars once an inner one has seen the whole text in vain:
  // without
  // it a pattern of many stars takes exponential time.
  private static boolean matches(
      byte[] p, int pi, byte[] t, int ti, boolean ignoreCase, boolean[] stop) {
    while (pi < p.length && ti < t.length) {
      switch (p[pi]) {
        case '*' -> {
          while (pi + 1 < p.length && p[pi + 1] == '*') {
            pi++;
          }
          if (pi + 1 == p.length) {
            return true;
          }
          for (; ti < t.length; ti++) {
            if (matches(p, pi + 1, t, ti, ignoreCase, stop)) {
              return true;
            }
            if (stop[0]) {
              return false;
            }
          }
          stop[0] = true;
          return false;
        }
        case '?' -> ti++;
        case '[' -> {
          int end = classEnd(p, pi);
          if (!inClass(p, pi, end, t[ti], ignoreCase)) {
            return false;
          }
          ti++;
          pi = end;
        }
        default -> {
          if (p[pi] == '\\' && pi + 1 < p.length) {
            pi++;
          }
          if (fold(p[pi], ignoreCase) != fold(t[ti], ignoreCase)) {
            return false;
          }
          ti++;
        }
      }
      pi++;
    }
    if (ti == t.length) {
      while (pi < p.length && p[pi] == '*') {
        pi++;
      }
    }
    return pi >= p.length && ti == t.length;
  }

  private static int classEnd(byte[] p, int open) {
    int i = open + 1;
    if (i < p.length && p[i] == '^') {
      i++;
    }
    while (i < p.length) {
      if (p[i] == '\\' && i + 1 < p.length) {
        i += 2;
      } else if (p[i] == ']') {
        return i;
      } else if (i + 2 < p.length && p[i + 1] == '-') {
        i += 3;
      } else {
        i++;
      }
    }
    return p.length - 1;
  }

  private static boolean inClass(byte[] p, int open, int end, byte c, boolean ignoreCase) {
    int i = open + 1;
    boolean not = i < p.length && p[i] == '^';
    if (not) {
      i++;
    }
    boolean closed = end < p.length && p[end] == ']' && end > open;
    int limit = closed ? end : p.length;
    boolean found = false;
    int wanted = fold(c, ignoreCase);
    while (i < limit) {
      if (p[i] == '\\' && i + 1 < limit) {
        found |= fold(p[i + 1], ignoreCase) == wanted;
        i += 2;
      } else if (i + 2 < p.length && p[i + 1] == '-' && i + 2 <= limit) {
        int from = fold(p[i], ignoreCase);
        int to = fold(p[i + 2], ignoreCase);
        found |= wanted >= Math.min(from, to) && wanted <= Math.max(from, to);
        i += 3;
      } else {
        found |= fold(p[i], ignoreCase) == wanted;
        i++;
      }
    }
    return found != not;
  }

  private static int fold(byte b, boolean ignoreCase) {
    int c = b & 0xff;
    return ignoreCase && c >= 'A' && c <= 'Z' ? c + 32 : c;
  }
}
