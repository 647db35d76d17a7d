// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.LoopReport;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a client since its start, and its current state. Immutable; has no keys and no
 * values.
 *
 * @param atMillis the time of these figures, in milliseconds since 1970
 * @param client whether the application has a client
 * @param guard null without a client, and until it has connected
 * @param metered whether the application has a meter registry
 * @param meters all meters whose name begins with "sheaf."
 * @param loops places in the code that make sequential round trips
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
   * @param values by statistic: count, total, max or value; times in milliseconds
   */
  record MeterFigures(String name, Map<String, String> tags, Map<String, Double> values) {}
}
