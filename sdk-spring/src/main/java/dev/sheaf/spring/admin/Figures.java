// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.LoopReport;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client did since it began, and what it knows. Immutable; has no keys and no values.
 *
 * @param atMillis when these figures were taken, since 1970
 * @param client whether the application has one
 * @param guard null without a client, and while it has not connected
 * @param metered whether the application has a meter registry
 * @param meters all meters whose name begins with "sheaf."
 * @param loops places in the code that make one round trip after the other
 */
record Figures(
    long atMillis,
    boolean client,
    boolean cluster,
    @Nullable GuardReport guard,
    boolean metered,
    List<MeterFigures> meters,
    List<LoopReport> loops) {

  /**
   * A meter.
   *
   * @param values by name: count, total, max or value; times in milliseconds
   */
  record MeterFigures(String name, Map<String, String> tags, Map<String, Double> values) {}
}
