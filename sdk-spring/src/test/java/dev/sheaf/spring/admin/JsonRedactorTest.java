// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.spring.admin.JsonRedactor.Redacted;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRedactorTest {

  private static final NameRules USUAL = new NameRules(NameRules.USUAL_NAMES);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "[ 1 , -2.50e+10 , true,\n null ]",
        "12345678901234567890.000",
        "\"a \\u00e4 \\\\ \\\" b\"",
        "{\"a\":{\"b\":[{\"c\":\"x\"},[]]},\"a\":2}"
      })
  void documentWithoutSecrets_staysAsItIsWritten(String json) {
    assertThat(JsonRedactor.redact(json, USUAL)).isEqualTo(new Redacted(json, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"password\":\"hunter2\"}",
        "{\"PassWord\" : \"hunter2\"}",
        "{\"user_password\":\"hunter2\"}",
        "{\"api-key\":\"hunter2\"}",
        "{\"apiKey\":\"hunter2\"}",
        "{\"\\u0070assword\":\"hunter2\"}",
        "{\"p\\u200bassword\":\"hunter2\"}",
        "{\"\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\":\"hunter2\"}",
        "{\"user.pin\":\"hunter2\"}",
        "{\"userPin\":\"hunter2\"}",
        "{\"password\":[\"hunter2\",{\"x\":\"hunter2\"}]}",
        "{\"password\":{\"value\":\"hunter2\"}}",
        "{\"password\":\"a\",\"password\":\"hunter2\"}",
        "[{\"a\":[{\"b\":{\"token\":\"hunter2\"}}]}]",
        "{\"body\":\"{\\\"password\\\":\\\"hunter2\\\"}\"}",
        "{\"body\":\"  [{\\\"a\\\":{\\\"password\\\":\\\"hunter2\\\"}}]\"}",
        "{\"body\":\"\\\"{\\\\\\\"password\\\\\\\":\\\\\\\"hunter2\\\\\\\"}\\\"\"}",
        "{\"body\":\"{password:'hunter2'}\"}",
        "{\"body\":\"x {\\\"password\\\":\\\"hunter2\"}",
        "{\"body\":\"user=a&password=hunter2\"}",
        "{\"body\":\"<password>hunter2</password>\"}",
        "{\"body\":\"https://host/x?a=1&access_token=hunter2\"}",
        "{\"body\":\"password%3Dhunter2\"}",
        "{\"header\":\"Authorization: hunter2\"}",
        "{\"name\":\"password\",\"value\":\"hunter2\"}",
        "{\"value\":\"hunter2\",\"key\":\"password\"}",
        "{\"header\":\"Authorization\",\"values\":[\"hunter2\"]}",
        "{\"k\":\"password\",\"v\":\"hunter2\"}",
        "{\"id\":\"api-key\",\"val\":\"hunter2\"}",
        "{\"property\":\"db.password\",\"value\":\"hunter2\"}",
        "[\"password\",\"hunter2\"]",
        "[\"user\",\"a\",\"password\",[\"hunter2\"]]",
        "{\"PINCode\":\"hunter2\"}",
        "{\"body\":\"\\\\u0022password\\\\u0022\\\\u003a hunter2\"}",
        "{\"body\":\"{&quot;password&quot;: &quot;hunter2&quot;}\"}",
        "{\"url\":\"redis://a:hunter2@host\"}",
        "{\"command\":\"run --password hunter2\"}"
      })
  void secret_isReplaced(String json) {
    Redacted redacted = JsonRedactor.redact(json, USUAL);

    assertThat(redacted).isNotNull();
    assertThat(redacted.text()).doesNotContain("hunter2").contains(JsonRedactor.MASK);
    assertThat(redacted.fields()).isPositive();
    assertThat(JsonRedactor.redact(redacted.text(), new NameRules(List.of())))
        .as("still JSON")
        .isNotNull();
  }

  @Test
  void whatStandsBesideASecret_stays() {
    Redacted redacted =
        JsonRedactor.redact(
            "{\"id\": 1, \"password\" : {\"a\":[1,2]} , \"note\":\"{\\\"pin\\\": 1, \\\"b\\\":2}\"}",
            USUAL);

    assertThat(redacted)
        .isEqualTo(
            new Redacted(
                "{\"id\": 1, \"password\" : \"******\" ,"
                    + " \"note\":\"{\\\"pin\\\": \\\"******\\\", \\\"b\\\":2}\"}",
                2));
  }

  @Test
  void halfOfACharacter_staysAnEscape() {
    Redacted redacted =
        JsonRedactor.redact("[\"{\\\"pin\\\":1,\\\"a\\\":\\\"\\ud800\\\"}\"]", USUAL);

    assertThat(redacted).isNotNull();
    assertThat(redacted.text()).contains("\\ud800").doesNotContain("\ud800");
  }

  @Test
  void wordsInAText_areNoFields() {
    String json = "{\"note\":\"reset your password, please\",\"name\":\"Cookie monster\"}";

    assertThat(JsonRedactor.redact(json, USUAL)).isEqualTo(new Redacted(json, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"a\":1",
        "{\"a\":1}x",
        "{\"a\":1}{\"password\":1}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1,}",
        "[1,]",
        "[01]",
        "[1.]",
        "[NaN]",
        "[+1]",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "// a\n{}",
        "\ufeff{}",
        "truex",
        "{\"a\" 1}"
      })
  void whatIsNotJson_isNotRedacted(String text) {
    assertThat(JsonRedactor.redact(text, USUAL)).isNull();
  }

  @Test
  void deepNesting_isNotUnderstood() {
    int deepest = JsonRedactor.MAX_DEPTH;

    assertThat(JsonRedactor.redact("[".repeat(deepest) + "]".repeat(deepest), USUAL)).isNotNull();
    assertThat(JsonRedactor.redact("[".repeat(deepest + 1) + "]".repeat(deepest + 1), USUAL))
        .isNull();
    assertThat(JsonRedactor.redact("[".repeat(1_000_000), USUAL)).isNull();
  }

  @Test
  void documentsInStringsOfEachOther_areWithheldBelowTheLimit() {
    String json = "{\"password\":\"hunter2\"}";
    for (int i = 0; i < 7; i++) {
      json = "[\"" + json.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]";
    }

    Redacted redacted = JsonRedactor.redact(json, USUAL);

    assertThat(redacted).isNotNull();
    assertThat(redacted.text()).doesNotContain("hunter2");
  }
}
