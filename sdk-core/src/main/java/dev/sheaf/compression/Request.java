package dev.sheaf.compression;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A request as it travels, with the places of its arguments. The name of the command is one. */
final class Request {

  private static final int SHOWN_KEY_BYTES = 100;

  private final byte[] bytes;
  private final int[] starts;
  private final int[] ends;
  private int arguments;

  /**
   * Finds the arguments.
   *
   * @param bytes a whole request, an array of bulk strings
   */
  Request(byte[] bytes) {
    this.bytes = bytes;
    int position = 1;
    int count = number(position);
    this.starts = new int[count];
    this.ends = new int[count];
    position = afterLine(position);
    while (arguments < count && position < bytes.length) {
      int length = number(position + 1);
      position = afterLine(position);
      starts[arguments] = position;
      ends[arguments] = position + length;
      arguments++;
      position += length + 2;
    }
  }

  private int number(int from) {
    int number = 0;
    for (int i = from; i < bytes.length && bytes[i] != '\r'; i++) {
      number = number * 10 + bytes[i] - '0';
    }
    return number;
  }

  private int afterLine(int from) {
    int i = from;
    while (i < bytes.length && bytes[i] != '\n') {
      i++;
    }
    return i + 1;
  }

  byte[] bytes() {
    return bytes;
  }

  /** How many arguments there are, the name included. */
  int count() {
    return arguments;
  }

  int start(int index) {
    return starts[index];
  }

  int end(int index) {
    return ends[index];
  }

  int length(int index) {
    return ends[index] - starts[index];
  }

  /** Where the argument begins with its length. */
  int frameStart(int index) {
    int lineEnd = starts[index] - 2;
    int i = lineEnd;
    while (bytes[i] != '$') {
      i--;
    }
    return i;
  }

  /** Whether an argument is this word, in any case. */
  boolean is(int index, String word) {
    if (index >= arguments || length(index) != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if ((bytes[starts[index] + i] & ~0x20) != (word.charAt(i) & ~0x20)) {
        return false;
      }
    }
    return true;
  }

  /** Where this word stands, from an index on; -1 if nowhere. */
  int indexOf(String word, int from) {
    for (int i = from; i < arguments; i++) {
      if (is(i, word)) {
        return i;
      }
    }
    return -1;
  }

  /** An argument that is a number of digits; -1 if it is none. */
  int decimal(int index) {
    if (index >= arguments || length(index) == 0 || length(index) > 9) {
      return -1;
    }
    int number = 0;
    for (int i = starts[index]; i < ends[index]; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return -1;
      }
      number = number * 10 + bytes[i] - '0';
    }
    return number;
  }

  /** An argument as messages show it. */
  String shown(int index) {
    return shown(bytes, starts[index], ends[index]);
  }

  /** A key as messages show it. */
  static String shown(byte[] bytes, int start, int end) {
    int shownEnd = Math.min(end, start + SHOWN_KEY_BYTES);
    String text = new String(bytes, start, shownEnd - start, StandardCharsets.UTF_8);
    return "\"" + text + (shownEnd < end ? "…" : "") + "\"";
  }

  /** The name of the command. */
  String name() {
    return new String(bytes, starts[0], length(0), StandardCharsets.US_ASCII)
        .toUpperCase(Locale.ROOT);
  }
}
