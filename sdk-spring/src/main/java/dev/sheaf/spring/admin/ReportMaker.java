// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.inspector.InspectedValue;
import dev.sheaf.inspector.Inspection;
import dev.sheaf.spring.admin.Redactor.Shown;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts an inspection to a report of what can be shown. Immutable. */
final class ReportMaker {

  private static final Shown NOT_FOR_THIS_USER =
      Shown.withheld("You see sizes only; sheaf.admin.show-values and roles say who sees values.");

  private static final Pattern INSPECTORS_LIMIT = Pattern.compile("maxReadBytes|maxOriginalBytes");

  private final Redactor redactor;

  ReportMaker(Redactor redactor) {
    this.redactor = redactor;
  }

  ValueReport report(byte[] key, Inspection found, boolean showValues) {
    List<ValueReport.Value> values = new ArrayList<>();
    for (InspectedValue value : found.values()) {
      Shown shown = showValues ? shown(found.type(), value) : NOT_FOR_THIS_USER;
      values.add(value(value, shown, showValues));
    }
    return new ValueReport(
        new String(key, StandardCharsets.UTF_8),
        HexFormat.of().formatHex(key),
        found.type(),
        found.ttl() == null ? null : found.ttl().toMillis(),
        found.encoding(),
        found.memoryBytes(),
        found.slot(),
        found.node(),
        found.elements(),
        found.values().stream().mapToLong(InspectedValue::storedBytes).sum(),
        originalBytes(found.values()),
        showValues,
        values,
        limitNamed(found.note()));
  }

  private Shown shown(String type, InspectedValue value) {
    return redactor.show(value, field(type, value.name()));
  }

  /** Returns the name of a field. In a stream it follows the identifier of its entry. */
  private static @Nullable String field(String type, @Nullable String name) {
    return switch (type) {
      case "hash" -> name;
      case "stream" -> name == null ? null : name.substring(name.indexOf(' ') + 1);
      default -> null;
    };
  }

  private ValueReport.Value value(InspectedValue value, Shown shown, boolean showValues) {
    return new ValueReport.Value(
        showValues ? name(value.name()) : null,
        value.form().name(),
        value.form().isCertain(),
        value.algorithm(),
        value.storedBytes(),
        value.originalBytes(),
        value.ratio(),
        shown.kind(),
        shown.text(),
        shown.text() != null && value.isComplete(),
        shown.fields(),
        shown.withheld(),
        limitNamed(redactor.problem(value.problem())));
  }

  /** Names the limit as it is called here. */
  private static @Nullable String limitNamed(@Nullable String message) {
    return message == null
        ? null
        : INSPECTORS_LIMIT.matcher(message).replaceAll("sheaf.admin.max-value-size");
  }

  private @Nullable String name(@Nullable String name) {
    return name != null && redactor.hidesName(name) ? JsonRedactor.MASK : name;
  }

  private static long originalBytes(List<InspectedValue> values) {
    if (values.stream().anyMatch(value -> value.originalBytes() < 0)) {
      return -1;
    }
    return values.stream().mapToLong(InspectedValue::originalBytes).sum();
  }
}
