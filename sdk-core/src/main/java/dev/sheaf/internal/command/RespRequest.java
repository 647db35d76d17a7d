// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A parsed request: an array of bulk strings with the positions of its arguments. The name of the
 * command is argument 0.
 *
 * <p>A truncated or malformed request has its complete arguments only. The static methods find a
 * position without an object, for use with every command.
 */
public final class RespRequest {

  private static final int SHOWN_BYTES = 100;
  private static final int MAX_DECIMAL_DIGITS = 9;

  private final byte[] bytes;

  /** For each argument the index of its length line, of its content, and of its end. */
  private final int[] frames;

  private final int[] starts;
  private final int[] ends;
  private int count;

  /** Parses a request. */
  public RespRequest(byte[] bytes) {
    this.bytes = bytes;
    int announced = bytes.length == 0 ? 0 : decimal(bytes, 1);
    // An argument takes at least five bytes, so that a wrong count allocates nothing.
    int capacity = Math.max(0, Math.min(announced, bytes.length / 5));
    this.frames = new int[capacity];
    this.starts = new int[capacity];
    this.ends = new int[capacity];
    int frame = firstFrame(bytes);
    while (count < capacity && frame < bytes.length) {
      int end = frameEnd(bytes, frame);
      if (end > bytes.length) {
        break;
      }
      frames[count] = frame;
      starts[count] = contentStart(bytes, frame);
      ends[count] = end - 2;
      count++;
      frame = end;
    }
  }

  /** The index of the first bulk string: the name of the command. */
  public static int firstFrame(byte[] bytes) {
    return afterLine(bytes, 0);
  }

  /**
   * The index after the bulk string at this index, where the next one starts; beyond the end of the
   * array if it is truncated.
   */
  public static int frameEnd(byte[] bytes, int frame) {
    long end = (long) contentStart(bytes, frame) + decimal(bytes, frame + 1) + 2;
    return (int) Math.min(end, Integer.MAX_VALUE);
  }

  /** The index of the content of the bulk string at this index. */
  public static int contentStart(byte[] bytes, int frame) {
    return afterLine(bytes, frame);
  }

  private static int afterLine(byte[] bytes, int from) {
    int i = from;
    while (i < bytes.length && bytes[i] != '\n') {
      i++;
    }
    return i + 1;
  }

  /** Parses digits up to the first other byte; numbers that overflow an int become the largest. */
  private static int decimal(byte[] bytes, int from) {
    long number = 0;
    for (int i = from; i < bytes.length && bytes[i] >= '0' && bytes[i] <= '9'; i++) {
      number = Math.min(number * 10 + bytes[i] - '0', Integer.MAX_VALUE);
    }
    return (int) number;
  }

  /** Runs an action for each argument after the name, with its framed range. */
  public static void forEachArgument(byte[] bytes, ArgumentVisitor visitor) {
    int frame = frameEnd(bytes, firstFrame(bytes));
    while (frame < bytes.length) {
      int end = frameEnd(bytes, frame);
      visitor.visit(frame, end);
      frame = end;
    }
  }

  /** The bytes of the request; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** The number of arguments, including the name. */
  public int count() {
    return count;
  }

  /** The index of an argument's length line. */
  public int frameStart(int index) {
    return frames[index];
  }

  /** The index after an argument with its line end. */
  public int frameEnd(int index) {
    return ends[index] + 2;
  }

  /** The index of an argument's content. */
  public int start(int index) {
    return starts[index];
  }

  /** The index after an argument's content. */
  public int end(int index) {
    return ends[index];
  }

  public int length(int index) {
    return ends[index] - starts[index];
  }

  /** A copy of an argument's content. */
  public byte[] argument(int index) {
    return Arrays.copyOfRange(bytes, starts[index], ends[index]);
  }

  /** Whether an argument is this word, in any case. */
  public boolean is(int index, String word) {
    if (index >= count || length(index) != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (upper(bytes[starts[index] + i]) != upper(word.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static int upper(int character) {
    return character >= 'a' && character <= 'z' ? character - ('a' - 'A') : character;
  }

  /** The first argument from an index on that is this word; -1 if none. */
  public int indexOf(String word, int from) {
    for (int i = from; i < count; i++) {
      if (is(i, word)) {
        return i;
      }
    }
    return -1;
  }

  /** An argument as a number; -1 if it is no number or has more than nine digits. */
  public int decimal(int index) {
    if (index >= count || length(index) == 0 || length(index) > MAX_DECIMAL_DIGITS) {
      return -1;
    }
    for (int i = starts[index]; i < ends[index]; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return -1;
      }
    }
    return decimal(bytes, starts[index]);
  }

  /** The name of the command, in upper case. */
  public String name() {
    return count == 0
        ? ""
        : new String(bytes, starts[0], length(0), StandardCharsets.US_ASCII)
            .toUpperCase(Locale.ROOT);
  }

  /** An argument for messages: in quotes, truncated after {@value #SHOWN_BYTES} bytes. */
  public String shown(int index) {
    return shown(bytes, starts[index], ends[index]);
  }

  /** Bytes for messages. */
  public static String shown(byte[] bytes, int start, int end) {
    int shownEnd = Math.min(end, start + SHOWN_BYTES);
    String text = new String(bytes, start, shownEnd - start, StandardCharsets.UTF_8);
    return "\"" + text + (shownEnd < end ? "…" : "") + "\"";
  }

  /** Receives arguments by their position in a request. */
  public interface ArgumentVisitor {
    void visit(int start, int end);
  }

  /** Receives the keys of a request by their index. */
  public interface KeyVisitor {
    void key(int index, boolean written);
  }
}
