// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys: how they are written, and which ones may be looked at. */
class RulesTest {

  @ParameterizedTest
  @CsvSource({
    "'', '', true",
    "a, '', false",
    "'', a, false",
    "*, '', true",
    "*, abc, true",
    "a*c, abbc, true",
    "a*c, abbcd, false",
    "*b*, abc, true",
    "*:b, a:b:b, true",
    "a.c, abc, false",
    "**a**, a, true"
  })
  void pattern_fitsWholeTexts(String pattern, String text, boolean fits) {
    assertThat(new Glob(pattern).matches(text)).isEqualTo(fits);
  }

  @Test
  void hostilePattern_endsInTime() {
    assertThat(new Glob("*a".repeat(50) + "b").matches("a".repeat(8000))).isFalse();
  }

  @Test
  void denial_winsOverAllowance() {
    KeyRules rules = new KeyRules(List.of("*"), List.of("user:*:card"));

    assertThat(rules.permits(bytes("user:1:card"))).isFalse();
    assertThat(rules.permits(bytes("USER:1:Card"))).isFalse();
    assertThat(rules.permits(bytes("user:1:name"))).isTrue();
  }

  @Test
  void allowance_isExact() {
    KeyRules rules = new KeyRules(List.of("page:*"), List.of());

    assertThat(rules.permits(bytes("page:1"))).isTrue();
    assertThat(rules.permits(bytes("PAGE:1"))).isFalse();
    assertThat(rules.permits(bytes("x:page:1"))).isFalse();
    assertThat(new KeyRules(List.of(), List.of()).permits(bytes("a"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spring:session:sessions:1",
        "reset-token:7",
        "SECRET",
        "user:1:password",
        "oauth2:x",
        "login:otp:1",
        "secret:\u0000x"
      })
  void keysNamedLikeSecrets_areDeniedByDefault(String key) {
    assertThat(KeyRules.of(BoundProperties.bound().keys()).permits(bytes(key))).isFalse();
  }

  @Test
  void denialsOfOnesOwn_addToTheUsualOnes() {
    KeyRules rules = KeyRules.of(BoundProperties.bound(Map.of("keys.deny", "invoice:*")).keys());
    assertThat(rules.permits(bytes("invoice:1"))).isFalse();
    assertThat(rules.permits(bytes("token:1"))).isFalse();
    assertThat(rules.permits(bytes("page:1"))).isTrue();

    Map<String, ?> notUsual = Map.of("keys.deny", "invoice:*", "keys.deny-usual", false);
    assertThat(KeyRules.of(BoundProperties.bound(notUsual).keys()).permits(bytes("token:1")))
        .isTrue();
  }

  @Test
  void keyOfInvalidUtf8_isJudgedByWhatCanBeRead() {
    byte[] key = {(byte) 0xFF, 's', 'e', 'c', 'r', 'e', 't', (byte) 0xC0};

    assertThat(KeyRules.of(BoundProperties.bound().keys()).permits(key)).isFalse();
  }

  @Test
  void key_isReadInEachEncoding() {
    byte[] key = {0, (byte) 0xFF, ':', '/', (byte) 0xFB};
    String base64 = Base64.getEncoder().encodeToString(key);

    assertThat(KeyBytes.parse(base64, "base64")).isEqualTo(key);
    assertThat(KeyBytes.parse(Base64.getUrlEncoder().encodeToString(key), "base64")).isEqualTo(key);
    assertThat(KeyBytes.parse(base64.replace('+', ' '), "BASE64")).isEqualTo(key);
    assertThat(KeyBytes.parse("00ff3A2ffb", "hex")).isEqualTo(key);
    assertThat(KeyBytes.parse("ä/ b;%2F", null)).isEqualTo(bytes("ä/ b;%2F"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', utf8, empty",
    "'', hex, empty",
    "abc, hex, hex",
    "zz, hex, hex",
    "a, base64, base64",
    "a, rot13, 'utf8, base64 or hex'"
  })
  void unreadableKey_isRefusedWithTheReason(String key, String encoding, String reason) {
    assertThatThrownBy(() -> KeyBytes.parse(key, encoding))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void longKey_isRefused() {
    assertThatThrownBy(() -> KeyBytes.parse("a".repeat(KeyBytes.MAX_KEY_BYTES + 1), null))
        .hasMessageContaining("8192");
  }

  @Test
  void keyInALog_isOneShortLine() {
    assertThat(KeyBytes.printable(bytes("a\nFAKE\u202e\u2028b")))
        .isEqualTo("a\\u000aFAKE\\u202e\\u2028b");
    assertThat(KeyBytes.printable(bytes("x".repeat(8000)))).hasSizeLessThan(300);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
