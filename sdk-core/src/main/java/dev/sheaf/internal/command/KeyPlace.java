// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The position of keys among the arguments of a command, and whether they are written. */
final class KeyPlace {

  private static final Pattern NOTATION =
      Pattern.compile(
          "([rw])(?:(\\d+)|([A-Z]+)@(-?\\d+))(\\.\\.(-\\d+)?|#|:half|:all)?(?:/(\\d))?");

  private enum Extent {
    ONE,
    UP_TO_LAST,
    COUNTED,
    HALF
  }

  private final boolean written;

  /** The keyword before the keys; empty if they are at a fixed index. */
  private final String word;

  /** The index of the first key, or from where to search the keyword; negative from the end. */
  private final int from;

  private final Extent extent;

  /** How many arguments at the end are not keys. */
  private final int after;

  private final int step;

  private KeyPlace(boolean written, String word, int from, Extent extent, int after, int step) {
    this.written = written;
    this.word = word;
    this.from = from;
    this.extent = extent;
    this.after = after;
    this.step = step;
  }

  /** Parses the notation of the table of commands. */
  static KeyPlace parse(String text) {
    Matcher notation = NOTATION.matcher(text);
    if (!notation.matches()) {
      throw new IllegalArgumentException(text + " is no place of keys");
    }
    String word = notation.group(3) == null ? "" : notation.group(3);
    String extent = notation.group(5) == null ? "" : notation.group(5);
    return new KeyPlace(
        notation.group(1).equals("w"),
        word,
        Integer.parseInt(word.isEmpty() ? notation.group(2) : notation.group(4)),
        extentOf(extent),
        notation.group(6) == null ? 0 : -1 - Integer.parseInt(notation.group(6)),
        notation.group(7) == null ? 1 : Integer.parseInt(notation.group(7)));
  }

  private static Extent extentOf(String text) {
    return switch (text) {
      case "" -> Extent.ONE;
      case "#" -> Extent.COUNTED;
      case ":half" -> Extent.HALF;
      default -> Extent.UP_TO_LAST;
    };
  }

  boolean isWritten() {
    return written;
  }

  /** Whether the first argument is the only key. */
  boolean isFirstArgument() {
    return extent == Extent.ONE && word.isEmpty() && from == 1;
  }

  /** Runs an action for each key in a request. */
  void forEach(RespRequest request, RespRequest.KeyVisitor visitor) {
    int first = word.isEmpty() ? from : afterWord(request);
    int end = request.count() - after;
    switch (extent) {
      case ONE -> end = Math.min(end, first + 1);
      case HALF -> end = first + (end - first) / 2;
      case COUNTED -> {
        int keys = Math.max(0, request.decimal(first));
        first++;
        end = (int) Math.min(end, first + (long) keys * step);
      }
      case UP_TO_LAST -> {
        // As it is.
      }
    }
    for (int i = first; i < end; i += step) {
      visitor.key(i, written);
    }
  }

  /** The index after the keyword; after all arguments if it is missing. */
  private int afterWord(RespRequest request) {
    if (from >= 0) {
      int index = request.indexOf(word, from);
      return index < 0 ? request.count() : index + 1;
    }
    for (int i = request.count() + from; i > 0; i--) {
      if (request.is(i, word)) {
        return i + 1;
      }
    }
    return request.count();
  }
}
