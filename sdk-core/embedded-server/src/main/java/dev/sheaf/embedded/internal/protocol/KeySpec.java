// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Check;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One of the places where a command has keys, as COMMAND INFO tells it.
 *
 * @param access what the command does to these keys
 * @param begin argument of the first key, zero where that is not known; behind a keyword: where to
 *     look for that
 * @param keyword what the first key follows; null if it has a place of its own
 * @param counted whether a number of keys comes first
 * @param last the last key, counted from the first one; from the end if negative
 * @param step from one key to the next
 * @param limit the part of the arguments that are keys: 2 for one half
 * @param note what Redis says of it, if anything
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

  /** Reads a form such as {@code RW:access,update@1..-1}; commands.txt explains it. */
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

  /** Whether the place depends on other arguments in a way that Redis does not tell. */
  public boolean isUnknown() {
    return begin == 0;
  }

  /** Whether its keys are at the same places in each call. */
  boolean isRange() {
    return keyword == null && !counted && !isUnknown();
  }

  /** The last key, counted from the command itself; from the end if negative. */
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
