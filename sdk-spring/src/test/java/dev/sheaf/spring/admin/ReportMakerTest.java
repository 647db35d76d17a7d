// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.inspector.InspectedValue;
import dev.sheaf.inspector.InspectedValue.Kind;
import dev.sheaf.inspector.Inspection;
import dev.sheaf.inspector.StoredForm;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportMakerTest {

  private final ReportMaker maker =
      new ReportMaker(new Redactor(new NameRules(NameRules.USUAL_NAMES), false));

  @Test
  void entriesOfAStream_areRedactedByTheNamesOfTheirFields() {
    ValueReport report =
        report("stream", true, value("1-0 password", "hunter2"), value("1-0 city", "Ulm"));

    assertThat(report.values().get(0).value()).isEqualTo(JsonRedactor.MASK);
    assertThat(report.values().get(1).value()).isEqualTo("Ulm");
    assertThat(report.redactedFields()).isOne();
  }

  @Test
  void fieldThatNamesASecretItself_isHidden() {
    ValueReport report = report("hash", true, value("{\"password\":\"hunter2\"}", "x"));

    assertThat(report.toString()).doesNotContain("hunter2");
  }

  @Test
  void scoresAndIndexes_areNoFields() {
    ValueReport report = report("list", true, value("0", "token=hunter2"), value("1", "plain"));

    assertThat(report.values().get(0).value()).isNull();
    assertThat(report.values().get(1).value()).isEqualTo("plain");
  }

  @Test
  void whoSeesSizesOnly_seesNeitherNamesNorValues() {
    ValueReport report = report("hash", false, value("hunter2", "hunter2"));

    assertThat(report.valuesShown()).isFalse();
    assertThat(report.storedBytes()).isEqualTo(7);
    assertThat(report.toString()).doesNotContain("hunter2");
  }

  private ValueReport report(String type, boolean showValues, InspectedValue... values) {
    Inspection found =
        new Inspection(
            type, Duration.ofSeconds(1), "raw", 100, 1, null, values.length, List.of(values), null);
    return maker.report(new byte[] {'k'}, found, showValues);
  }

  private static InspectedValue value(@Nullable String name, String text) {
    return new InspectedValue(
        name, StoredForm.RAW, null, text.length(), text.length(), Kind.TEXT, text, true, null);
  }
}
