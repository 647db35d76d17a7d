// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.Arrays;

/**
 * Counts the steps of Lua's pattern matcher. A pattern such as {@code a*a*a*b} can take years, and
 * native code cannot be interrupted, not even by SCRIPT KILL. So a search that may take long runs
 * here first, where it is counted and can be ended. Then Lua's own matcher repeats it for the
 * result. A malformed pattern ends the count, and Lua's matcher raises the error.
 */
final class PatternSteps {

  /** Whether a search continues after a match. */
  enum Search {
    /** It ends, as in find and match. */
    FIRST,
    /** It continues to the end of the text, as in gsub and gmatch. */
    ALL
  }

  /** The most steps of a search, in addition to those per byte: about 0.3 s. */
  static final long MAX_STEPS = 50_000_000;

  /** The most steps per byte of the text: enough for an ordinary pattern. */
  static final long MAX_STEPS_PER_BYTE = 16;

  /** A search that cannot exceed this number of steps is not counted. */
  private static final long HARMLESS_STEPS = 1_000_000;

  private static final int STEPS_PER_WATCH = 1_000_000;

  private static final int MAX_CAPTURES = 32;
  private static final int UNCLOSED = -1;
  private static final int POSITION = -2;
  private static final int NO_MATCH = -1;

  /** Thrown where Lua's own matcher would raise an error. */
  private static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Malformed() {
      super(null, null, false, false);
    }

    static void when(boolean malformed) {
      if (malformed) {
        throw new Malformed();
      }
    }
  }

  private final byte[] text;
  private final byte[] pattern;
  private final Runnable watch;
  private final long most;
  private final int[] starts = new int[MAX_CAPTURES];
  private final int[] lengths = new int[MAX_CAPTURES];
  private int level;
  private long steps;

  private PatternSteps(byte[] text, byte[] pattern, Runnable watch) {
    this.text = text;
    this.pattern = pattern;
    this.watch = watch;
    this.most = MAX_STEPS + MAX_STEPS_PER_BYTE * text.length;
  }

  /** Whether a search of a text of that length must be counted. */
  static boolean mayTakeLong(byte[] pattern, long textLength) {
    double bound = textLength + 1.0;
    for (byte b : pattern) {
      if (isRepetition(b)) {
        bound *= b == '?' ? 2 : textLength + 1.0;
      }
    }
    return bound > HARMLESS_STEPS;
  }

  /**
   * Counts the steps of a search.
   *
   * @param from the index in the text to start at
   * @param watch called now and then while the search runs; may throw to end it
   * @return the end of the last match; -1 if there is none, or the pattern is malformed
   * @throws LuaRaise if the search takes too many steps
   */
  static int check(byte[] text, byte[] pattern, int from, Search search, Runnable watch) {
    try {
      return new PatternSteps(text, pattern, watch).run(from, search);
    } catch (Malformed e) {
      return NO_MATCH;
    }
  }

  private int run(int from, Search search) {
    boolean anchored = pattern.length > 0 && pattern[0] == '^';
    int last = NO_MATCH;
    int at = from;
    while (at <= text.length) {
      level = 0;
      int end = match(at, anchored ? 1 : 0);
      if (end != NO_MATCH) {
        requireAllClosed();
        last = end;
      }
      if (anchored || (end != NO_MATCH && search == Search.FIRST)) {
        return last;
      }
      at = end > at ? end : at + 1;
    }
    return last;
  }

  private void requireAllClosed() {
    for (int i = 0; i < level; i++) {
      Malformed.when(lengths[i] == UNCLOSED);
    }
  }

  private void step() {
    steps++;
    if (steps % STEPS_PER_WATCH == 0) {
      watch.run();
    }
    if (steps > most) {
      throw LuaRaise.positioned(
          "pattern too complex (more than %s steps in %s bytes)".formatted(most, text.length));
    }
  }

  private int match(int start, int startOfPattern) {
    int s = start;
    int p = startOfPattern;
    while (true) {
      step();
      if (p == pattern.length) {
        return s;
      }
      byte b = pattern[p];
      byte next = p + 1 < pattern.length ? pattern[p + 1] : 0;
      if (b == '(') {
        return open(s, next == ')' ? p + 2 : p + 1, next == ')' ? POSITION : UNCLOSED);
      }
      if (b == ')') {
        return close(s, p + 1);
      }
      if (b == '$' && p + 1 == pattern.length) {
        return s == text.length ? s : NO_MATCH;
      }
      if (b == '%' && next == 'b') {
        s = balanced(s, p + 2);
        p += 4;
      } else if (b == '%' && next == 'f') {
        p += 2;
        Malformed.when(p >= pattern.length || pattern[p] != '[');
        int end = endOfItem(p);
        int before = s == 0 ? 0 : text[s - 1] & 0xff;
        int after = s == text.length ? 0 : text[s] & 0xff;
        if (inSet(before, p, end - 1) || !inSet(after, p, end - 1)) {
          return NO_MATCH;
        }
        p = end;
      } else if (b == '%' && next >= '0' && next <= '9') {
        s = backReference(s, next);
        p += 2;
      } else {
        int end = endOfItem(p);
        if (end < pattern.length && isRepetition(pattern[end])) {
          return repeated(s, p, end);
        }
        s = single(s, p, end) ? s + 1 : NO_MATCH;
        p = end;
      }
      if (s == NO_MATCH) {
        return NO_MATCH;
      }
    }
  }

  static boolean isRepetition(byte b) {
    return b == '?' || b == '*' || b == '+' || b == '-';
  }

  private int repeated(int s, int p, int end) {
    return switch (pattern[end]) {
      case '?' -> {
        int found = single(s, p, end) ? match(s + 1, end + 1) : NO_MATCH;
        yield found == NO_MATCH ? match(s, end + 1) : found;
      }
      case '*' -> longest(s, p, end, 0);
      case '+' -> longest(s, p, end, 1);
      default -> shortest(s, p, end);
    };
  }

  private int longest(int s, int p, int end, int least) {
    int count = 0;
    while (single(s + count, p, end)) {
      step();
      count++;
    }
    for (; count >= least; count--) {
      int found = match(s + count, end + 1);
      if (found != NO_MATCH) {
        return found;
      }
    }
    return NO_MATCH;
  }

  private int shortest(int start, int p, int end) {
    int s = start;
    while (true) {
      int found = match(s, end + 1);
      if (found != NO_MATCH || !single(s, p, end)) {
        return found;
      }
      s++;
    }
  }

  private int open(int s, int p, int length) {
    Malformed.when(level >= MAX_CAPTURES);
    starts[level] = s;
    lengths[level] = length;
    level++;
    int found = match(s, p);
    if (found == NO_MATCH) {
      level--;
    }
    return found;
  }

  private int close(int s, int p) {
    int capture = level - 1;
    while (capture >= 0 && lengths[capture] != UNCLOSED) {
      capture--;
    }
    Malformed.when(capture < 0);
    lengths[capture] = s - starts[capture];
    int found = match(s, p);
    if (found == NO_MATCH) {
      lengths[capture] = UNCLOSED;
    }
    return found;
  }

  private int balanced(int start, int p) {
    Malformed.when(p + 1 >= pattern.length);
    if (start >= text.length || text[start] != pattern[p]) {
      return NO_MATCH;
    }
    int depth = 1;
    for (int s = start + 1; s < text.length; s++) {
      step();
      if (text[s] == pattern[p + 1]) {
        depth--;
        if (depth == 0) {
          return s + 1;
        }
      } else if (text[s] == pattern[p]) {
        depth++;
      }
    }
    return NO_MATCH;
  }

  private int backReference(int s, byte digit) {
    int capture = digit - '1';
    Malformed.when(capture < 0 || capture >= level || lengths[capture] == UNCLOSED);
    int length = Math.max(0, lengths[capture]);
    int from = starts[capture];
    steps += length / Long.BYTES;
    boolean same =
        text.length - s >= length && Arrays.equals(text, from, from + length, text, s, s + length);
    return same ? s + length : NO_MATCH;
  }

  /** The end of the pattern item that starts at an index. */
  private int endOfItem(int start) {
    int p = start;
    byte b = pattern[p++];
    if (b == '%') {
      Malformed.when(p == pattern.length);
      return p + 1;
    }
    if (b != '[') {
      return p;
    }
    if (p < pattern.length && pattern[p] == '^') {
      p++;
    }
    do {
      Malformed.when(p >= pattern.length);
      if (pattern[p++] == '%') {
        p++;
      }
    } while (p >= pattern.length || pattern[p] != ']');
    return p + 1;
  }

  private boolean single(int s, int p, int end) {
    if (s >= text.length) {
      return false;
    }
    int c = text[s] & 0xff;
    return switch (pattern[p]) {
      case '.' -> true;
      case '%' -> inClass(c, pattern[p + 1]);
      case '[' -> inSet(c, p, end - 1);
      default -> (pattern[p] & 0xff) == c;
    };
  }

  /** Whether a byte is in the set between these brackets. */
  private boolean inSet(int c, int open, int close) {
    steps += (close - open) / Long.BYTES;
    boolean found = true;
    int p = open;
    if (pattern[p + 1] == '^') {
      found = false;
      p++;
    }
    while (++p < close) {
      if (pattern[p] == '%') {
        p++;
        if (inClass(c, pattern[p])) {
          return found;
        }
      } else if (pattern[p + 1] == '-' && p + 2 < close) {
        p += 2;
        if ((pattern[p - 2] & 0xff) <= c && c <= (pattern[p] & 0xff)) {
          return found;
        }
      } else if ((pattern[p] & 0xff) == c) {
        return found;
      }
    }
    return !found;
  }

  private static boolean inClass(int c, byte name) {
    boolean lower = name >= 'a' && name <= 'z';
    boolean in =
        switch (lower ? name : name + ('a' - 'A')) {
          case 'a' -> isLetter(c);
          case 'c' -> c < ' ' || c == 127;
          case 'd' -> isDigit(c);
          case 'l' -> c >= 'a' && c <= 'z';
          case 'p' -> c > ' ' && c < 127 && !isLetter(c) && !isDigit(c);
          case 's' -> c == ' ' || (c >= 9 && c <= 13);
          case 'u' -> c >= 'A' && c <= 'Z';
          case 'w' -> isLetter(c) || isDigit(c);
          case 'x' -> isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
          case 'z' -> c == 0;
          default -> {
            lower = true;
            yield (name & 0xff) == c;
          }
        };
    return in == lower;
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }
}
