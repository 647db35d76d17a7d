// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Check;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A key specification of a command, as in COMMAND INFO.
 *
 * @param access the command's access to these keys
 * @param begin the index of the first key, zero if unknown; with a keyword, where to start
 *     searching for it
 * @param keyword the keyword before the first key; null if the index is fixed
 * @param counted whether the number of keys precedes them
 * @param last the last key, relative to the first one; from the end if negative
 * @param step the distance between keys
 * @param limit the fraction of the arguments that are keys: 2 for one half
 * @param note Redis' note, if any
 */
public record KeySpec(
    KeyAccess access,
    int begin,
    @Nullable String keyword,
    boolean counted,
    int last,
    int step,
    int limit,
    @Nullable String note) {
  private static final Pattern FORM =
      Pattern.compile(
          "(.+)@(?:([A-Z]+):)?([?]|-?\\d+)(#)?(?:\\.\\.(-?\\d+)(?:/(\\d))?(?:/(\\d))?)?");

  /** Parses a form such as {@code RW:access,update@1..-1}; commands.txt explains it. */
  static KeySpec parse(String form) {
    Matcher parts = FORM.matcher(form);
    Check.argument(!parts.matches(), "not a place of keys: %s", form);
    return new KeySpec(
        KeyAccess.of(List.of(parts.group(1).split("[:,]"))),
        number(parts.group(3), 0),
        parts.group(2),
        parts.group(4) != null,
        number(parts.group(5), 0),
        number(parts.group(6), 1),
        number(parts.group(7), 0),
        null);
  }

  private static int number(@Nullable String digits, int otherwise) {
    return digits == null || digits.equals("?") ? otherwise : Integer.parseInt(digits);
  }

  KeySpec noted(String text) {
    return new KeySpec(access, begin, keyword, counted, last, step, limit, text);
  }

  /** Returns whether the positions depend on arguments in a way that Redis does not describe. */
  public boolean isUnknown() {
    return begin == 0;
  }

  /** Returns whether its keys have fixed positions. */
  boolean isRange() {
    return keyword == null && !counted && !isUnknown();
  }

  /** Returns the last key, relative to the command; from the end if negative. */
  int lastPlace() {
    return last < 0 ? last : begin + last;
  }

  boolean covers(int place) {
    return keyword == null
        && !isUnknown()
        && place >= begin
        && (counted || last < 0 || place <= begin + last);
  }
}
