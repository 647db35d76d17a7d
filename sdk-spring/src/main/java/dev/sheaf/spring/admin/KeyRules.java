// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Decides which keys can be viewed. Immutable. */
final class KeyRules {

  /** Keys that are secrets themselves, or that have a user's login. */
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
   * Creates rules.
   *
   * @param allowed patterns of keys that can be viewed; case-sensitive
   * @param denied patterns of keys that cannot, even if allowed; case-insensitive
   */
  KeyRules(List<String> allowed, List<String> denied) {
    this.allowed = allowed.stream().map(Glob::new).toList();
    this.denied = denied.stream().map(KeyRules::lowerCase).map(Glob::new).toList();
  }

  static KeyRules of(SheafAdminProperties.Keys keys) {
    Stream<String> usual = keys.denyUsual() ? USUAL_DENIALS.stream() : Stream.empty();
    return new KeyRules(keys.allow(), Stream.concat(usual, keys.deny().stream()).toList());
  }

  /** Matches the decoded bytes, whatever encoding the request used. */
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
