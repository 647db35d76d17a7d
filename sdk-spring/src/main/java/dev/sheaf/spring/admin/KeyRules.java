// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Which keys may be looked at. Immutable. */
final class KeyRules {

  /** Keys that are secrets in themselves, or that carry the login of a user. */
  static final List<String> USUAL_DENIALS =
      List.of(
          "*password*",
          "*passwd*",
          "*secret*",
          "*token*",
          "*credential*",
          "*session*",
          "*apikey*",
          "*api-key*",
          "*api_key*",
          "*private-key*",
          "*private_key*",
          "*privatekey*",
          "*jwt*",
          "*oauth*",
          "*otp:*",
          "*:otp*");

  private final List<Glob> allowed;
  private final List<Glob> denied;

  /**
   * Makes rules.
   *
   * @param allowed patterns of keys that may be looked at; case counts
   * @param denied patterns of keys that may not, whatever is allowed; case does not count
   */
  KeyRules(List<String> allowed, List<String> denied) {
    this.allowed = allowed.stream().map(Glob::new).toList();
    this.denied = denied.stream().map(KeyRules::lowerCase).map(Glob::new).toList();
  }

  static KeyRules of(SheafAdminProperties.Keys keys) {
    Stream<String> usual = keys.denyUsual() ? USUAL_DENIALS.stream() : Stream.empty();
    return new KeyRules(keys.allow(), Stream.concat(usual, keys.deny().stream()).toList());
  }

  /** Judges the bytes, however they were written in the request. */
  boolean permits(byte[] key) {
    String text = new String(key, StandardCharsets.UTF_8);
    String lowerCase = lowerCase(text);
    return denied.stream().noneMatch(pattern -> pattern.matches(lowerCase))
        && allowed.stream().anyMatch(pattern -> pattern.matches(text));
  }

  private static String lowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
