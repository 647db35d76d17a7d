// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

/** A pattern in which an asterisk stands for any characters, also none. Immutable. */
record Glob(String pattern) {

  /** Whether the whole text fits. Takes time in proportion to text and pattern at worst. */
  boolean matches(String text) {
    int at = 0;
    int in = 0;
    int star = -1;
    int afterStar = 0;
    while (in < text.length()) {
      if (at < pattern.length() && pattern.charAt(at) == '*') {
        star = at++;
        afterStar = in;
      } else if (at < pattern.length() && pattern.charAt(at) == text.charAt(in)) {
        at++;
        in++;
      } else if (star >= 0) {
        at = star + 1;
        in = ++afterStar;
      } else {
        return false;
      }
    }
    while (at < pattern.length() && pattern.charAt(at) == '*') {
      at++;
    }
    return at == pattern.length();
  }
}
