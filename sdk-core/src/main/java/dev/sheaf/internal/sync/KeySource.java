// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The source of a loop's keys. Confined to a thread. */
interface KeySource {

  /** Returns the position of a key, or {@link Loop#NONE}. */
  int indexOf(String key);

  /** Returns the key at a position; null if there is none. */
  @Nullable String keyAt(int index);

  /** Returns the number of keys; {@link Integer#MAX_VALUE} for an endless sequence. */
  int size();

  /** Describes the keys in words, equally for all loops of one place. */
  String shape();

  /** Omits numbers, which often differ between the keys of one place. */
  private static String shape(String prefix, String suffix) {
    Pattern number = Numbers.NUMBER;
    return number.matcher(prefix).replaceAll("#") + "*" + number.matcher(suffix).replaceAll("#");
  }

  /** The elements of a list between a fixed prefix and suffix, either of which can be empty. */
  record OfList(ReadList list, String prefix, String suffix) implements KeySource {

    @Override
    public int indexOf(String key) {
      int length = key.length() - prefix.length() - suffix.length();
      return length > 0 && key.startsWith(prefix) && key.endsWith(suffix)
          ? list.indexOf(key.substring(prefix.length(), prefix.length() + length))
          : Loop.NONE;
    }

    @Override
    public @Nullable String keyAt(int index) {
      String element = index < list.size() ? list.get(index) : null;
      return element == null ? null : prefix + element + suffix;
    }

    @Override
    public int size() {
      return list.size();
    }

    @Override
    public String shape() {
      return KeySource.shape(prefix, suffix) + " with " + list.name();
    }
  }

  /**
   * Numbers that increase or decrease by a step.
   *
   * @param width the number of digits, with leading zeros; 0 if not padded
   */
  record Numbers(String prefix, String suffix, int width, long first, long step)
      implements KeySource {

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    /** More keys than any loop reads. */
    private static final long MAX_INDEX = 1_000_000;

    private static final int MAX_DIGITS = 17;

    /** Returns the sequence that two keys start; null if they start none. */
    static @Nullable Numbers of(String first, String second) {
      int differ = 0;
      int common = Math.min(first.length(), second.length());
      while (differ < common && first.charAt(differ) == second.charAt(differ)) {
        differ++;
      }
      int start = differ;
      while (start > 0 && isDigit(first, start - 1)) {
        start--;
      }
      int firstEnd = digitsEnd(first, start);
      int secondEnd = digitsEnd(second, start);
      String suffix = first.substring(firstEnd);
      if (firstEnd == start
          || secondEnd == start
          || firstEnd - start > MAX_DIGITS
          || secondEnd - start > MAX_DIGITS
          || !second.substring(secondEnd).equals(suffix)) {
        return null;
      }
      long from = Long.parseLong(first.substring(start, firstEnd));
      long step = Long.parseLong(second.substring(start, secondEnd)) - from;
      boolean padded =
          firstEnd == secondEnd && (first.charAt(start) == '0' || second.charAt(start) == '0');
      Numbers numbers =
          new Numbers(first.substring(0, start), suffix, padded ? firstEnd - start : 0, from, step);
      return step != 0 && first.equals(numbers.keyAt(0)) && second.equals(numbers.keyAt(1))
          ? numbers
          : null;
    }

    private static boolean isDigit(String text, int index) {
      return text.charAt(index) >= '0' && text.charAt(index) <= '9';
    }

    private static int digitsEnd(String text, int from) {
      int end = from;
      while (end < text.length() && isDigit(text, end)) {
        end++;
      }
      return end;
    }

    @Override
    public int indexOf(String key) {
      int end = key.length() - suffix.length();
      int digits = end - prefix.length();
      if (digits < 1
          || digits > MAX_DIGITS
          || (width > 0 && digits < width)
          || !key.startsWith(prefix)
          || !key.endsWith(suffix)
          || digitsEnd(key, prefix.length()) < end) {
        return Loop.NONE;
      }
      long number = Long.parseLong(key.substring(prefix.length(), end));
      long index = (number - first) / step;
      return index >= 0 && index <= MAX_INDEX && key.equals(keyAt((int) index))
          ? (int) index
          : Loop.NONE;
    }

    @Override
    public @Nullable String keyAt(int index) {
      long number = first + index * step;
      if (number < 0) {
        return null;
      }
      String digits = Long.toString(number);
      return prefix + "0".repeat(Math.max(0, width - digits.length())) + digits + suffix;
    }

    @Override
    public int size() {
      return Integer.MAX_VALUE;
    }

    @Override
    public String shape() {
      return KeySource.shape(prefix, suffix) + " with numbers by steps of " + step;
    }
  }
}
