// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.inspector.InspectedValue;
import dev.sheaf.inspector.InspectedValue.Kind;
import dev.sheaf.inspector.StoredForm;
import dev.sheaf.spring.admin.Redactor.Shown;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {

  private static final NameRules USUAL = new NameRules(NameRules.USUAL_NAMES);
  private static final Redactor STRICT = new Redactor(USUAL, false);
  private static final Redactor LENIENT = new Redactor(USUAL, true);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"password\":\"hunter2\"",
        "{password=hunter2}",
        "password=hunter2",
        "password: hunter2\nuser: a",
        "a:1:{s:8:\"password\";s:7:\"hunter2\";}",
        "<user><password>hunter2</password></user>",
        "\ufeff{\"password\":\"hunter2\"}",
        "{\"a\":1} {\"password\":\"hunter2\"}",
        "user.password = hunter2",
        "password\\u003dhunter2",
        "{\\u0022password\\u0022\\u003a\\u0022hunter2\\u0022}",
        "{&quot;password&quot;:&quot;hunter2&quot;}",
        "&#x70;assword&#61;hunter2",
        "password%253Dhunter2",
        "password\\\\u003dhunter2",
        "redis://user:hunter2@host:6379",
        "see redis://:hunter2@host",
        "amqp://a:b/hunter2@host",
        "https://hunter2@example.org/",
        "mysqldump --password hunter2 db",
        "curl -token hunter2",
        "PINCode=hunter2",
        "pin2=hunter2"
      })
  void textThatIsNotJson_isWithheldEvenIfUnstructuredIsShown(String text) {
    for (Redactor redactor : List.of(STRICT, LENIENT)) {
      Shown shown = redactor.show(value(Kind.TEXT, text, true), null);

      assertThat(shown.text()).isNull();
      assertThat(shown.withheld()).isNotNull().doesNotContain("hunter2");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "eyJwYXNzd29yZCI6Imh1bnRlcjIifQ",
        "eyJhbGciOiJIUzI1NiJ9.eyJwYXNzd29yZCI6Imh1bnRlcjIifQ.c2lnbmF0dXJl",
        "7b2270617373776f7264223a2268756e74657232227d",
        "\"eyJhbGciOiJIUzI1NiJ9.eyJwYXNzd29yZCI6Imh1bnRlcjIifQ\"",
        "https://example.org/",
        "a=1"
      })
  void textThatMayBeSomethingElse_isWithheldByDefault(String text) {
    Shown hidden = STRICT.show(value(Kind.TEXT, text, true), null);

    assertThat(hidden.text()).isNull();
    assertThat(hidden.withheld())
        .startsWith("Hidden: this text has no field names, so secrets in it cannot be recognised.");
    assertThat(LENIENT.show(value(Kind.TEXT, text, true), null).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "apple",
        "42",
        "Grüße aus Köln",
        "a@example.org",
        "2026-11-20",
        "\"quoted\"",
        "-12345678901234567890.25",
        ""
      })
  void plainWords_areShown(String text) {
    assertThat(STRICT.show(value(Kind.TEXT, text, true), null).text()).isEqualTo(text);
  }

  @Test
  void longPlainText_isWithheldByDefault() {
    String text = "word ".repeat(100);

    assertThat(STRICT.show(value(Kind.TEXT, text, true), null).text()).isNull();
  }

  @Test
  void cutValue_isWithheld() {
    for (Redactor redactor : List.of(STRICT, LENIENT)) {
      assertThat(redactor.show(value(Kind.JSON, "{\"pass", false), null).text()).isNull();
      assertThat(redactor.show(value(Kind.TEXT, "apple", false), null).text()).isNull();
      assertThat(redactor.show(value(Kind.HEX, "0001", false), null).text()).isNull();
    }
  }

  @Test
  void binaryValue_isWithheldByDefault() {
    Shown shown = STRICT.show(value(Kind.HEX, "00ff01", true), null);

    assertThat(shown.text()).isNull();
    assertThat(shown.withheld()).contains("show-unstructured");
    assertThat(LENIENT.show(value(Kind.HEX, "00ff01", true), null).text()).isEqualTo("00ff01");
  }

  @Test
  void binaryValueWithAField_isWithheldAlways() {
    String json = "\0{\"password\":\"hunter2\"}";

    for (byte[] bytes :
        List.of(
            json.getBytes(StandardCharsets.ISO_8859_1),
            json.getBytes(StandardCharsets.UTF_16LE),
            json.getBytes(StandardCharsets.UTF_16BE))) {
      String hex = HexFormat.of().formatHex(bytes);
      assertThat(LENIENT.show(value(Kind.HEX, hex, true), null).text()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"password", "userPassword", "API_KEY", "70617373776f7264"})
  void valueOfARedactedField_isMasked(String field) {
    Shown shown = LENIENT.show(value(Kind.TEXT, "hunter2", true), field);

    assertThat(shown).isEqualTo(new Shown("text", JsonRedactor.MASK, 1, null));
  }

  @Test
  void textInAHarmlessField_isShownAsAStringOfJsonWouldBe() {
    assertThat(STRICT.show(value(Kind.TEXT, "https://example.org/", true), "home").text())
        .isEqualTo("https://example.org/");
    assertThat(STRICT.show(value(Kind.TEXT, "x?token=hunter2", true), "home").text()).isNull();
    assertThat(STRICT.show(value(Kind.JSON, "{\"pin\":\"hunter2\"}", true), "home").text())
        .isEqualTo("{\"pin\":\"******\"}");
  }

  @Test
  void nameThatHoldsASecret_isHidden() {
    assertThat(STRICT.hidesName("email")).isFalse();
    assertThat(STRICT.hidesName("password")).isFalse();
    assertThat(STRICT.hidesName("{\"password\":\"hunter2\"}")).isTrue();
    assertThat(STRICT.hidesName("password=hunter2")).isTrue();
    assertThat(STRICT.hidesName("x".repeat(300))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "eyJwYXNzd29yZCI6Imh1bnRlcjIifQ",
        "session:9f86d081884c7d659a2feaa0c55ad015",
        "xoxbAbCdEfGhIjKlMnOp",
        "redis://user:hunter2@host",
        "<token>hunter2</token>",
        "{\"a\":1}"
      })
  void nameThatMayBeASecret_isHiddenUnlessUnstructuredIsShown(String name) {
    assertThat(STRICT.hidesName(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "42",
        "created_at",
        "user:1234",
        "deliveryAddressLine",
        "address.line-2",
        "Straße",
        "2026-11-20T12:30",
        "1700000000000-0 price"
      })
  void usualName_isShown(String name) {
    assertThat(STRICT.hidesName(name)).isFalse();
    assertThat(LENIENT.hidesName(name)).isFalse();
  }

  @Test
  void nameWithoutAStructure_isShownWhereUnstructuredValuesAre() {
    assertThat(LENIENT.hidesName("session:9f86d081884c7d659a2feaa0c55ad015")).isFalse();
    assertThat(LENIENT.hidesName("redis://user:hunter2@host")).isTrue();
  }

  @Test
  void messageAboutADamagedValue_hasNoneOfItsBytes() {
    String problem = "It cannot be read. Stored are 40 bytes, f5feff5348460101000000107b2270696e…";

    assertThat(STRICT.problem(problem)).isEqualTo("It cannot be read. Stored are 40 bytes, …");
  }

  @Test
  void withoutNames_allIsShownAsItIs() {
    Redactor open = new Redactor(new NameRules(List.of()), false);

    assertThat(open.show(value(Kind.JSON, "{\"password\":1}", true), null).kind())
        .isEqualTo("json");
    assertThat(open.show(value(Kind.HEX, "00ff", false), null).text()).isEqualTo("00ff");
  }

  @Test
  void hostileText_isJudgedInTime() {
    for (String hostile : List.of("://", "://:", "&#x", "%25", "\\u005c", "--", "a:b@")) {
      Shown shown = LENIENT.show(value(Kind.TEXT, hostile.repeat(200_000), true), null);
      assertThat(shown).isNotNull();
    }
    String text = "a".repeat(1_000_000) + "\"".repeat(1_000_000) + ":";

    assertThat(LENIENT.show(value(Kind.TEXT, text, true), null).text()).isEqualTo(text);
    assertThat(STRICT.show(value(Kind.TEXT, "a ".repeat(128) + "=", true), null).text()).isNull();
  }

  private static InspectedValue value(Kind kind, String preview, boolean complete) {
    return new InspectedValue(
        null,
        StoredForm.RAW,
        null,
        preview.length(),
        preview.length(),
        kind,
        preview,
        complete,
        null);
  }
}
