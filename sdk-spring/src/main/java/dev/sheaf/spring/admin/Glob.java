// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

/** A pattern in which an asterisk matches any number of characters. Immutable. */
record Glob(String pattern) {

  /**
   * Returns whether the whole text matches. Takes at most time proportional to text times pattern.
   */
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
