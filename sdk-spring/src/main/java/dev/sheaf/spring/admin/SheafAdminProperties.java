// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the endpoint of stored values: what it shows, and to which users.
 *
 * @param showValues When to show values, and not only their sizes
 * @param roles Roles or authorities, one of which a user needs to see values when-authorized. When
 *     empty, all authenticated users see them
 * @param maxValueSize Largest value to read, decompress and show
 * @param maxElements Number of elements to show of a hash, list, set, sorted set or stream
 * @param timeout Time to wait for Redis
 * @param maxConcurrentReads Number of keys to look at at the same time
 * @param keys Which keys may be looked at
 * @param redact What is redacted in the values that are shown
 */
@ConfigurationProperties("sheaf.admin")
public record SheafAdminProperties(
    @DefaultValue("never") Show showValues,
    @DefaultValue Set<String> roles,
    @DefaultValue("1MB") DataSize maxValueSize,
    @DefaultValue("100") int maxElements,
    @DefaultValue("2s") Duration timeout,
    @DefaultValue("2") int maxConcurrentReads,
    @DefaultValue Keys keys,
    @DefaultValue Redact redact) {

  /**
   * Which keys may be looked at.
   *
   * @param allow Patterns of the keys that may be looked at, with asterisks
   * @param deny Patterns of keys that may not be looked at, whatever is allowed. Case does not
   *     count
   * @param denyUsual Whether to deny keys that are named like secrets, too
   */
  public record Keys(
      @DefaultValue("*") List<String> allow,
      @DefaultValue List<String> deny,
      @DefaultValue("true") boolean denyUsual) {}

  /**
   * What is redacted in the values that are shown.
   *
   * @param fields Names of fields to redact, with asterisks. Only letters and digits count, and
   *     case does not
   * @param usual Whether to redact fields that are named like secrets, too
   * @param showUnstructured Whether to show binary values and texts that have no fields to be told
   *     apart
   */
  public record Redact(
      @DefaultValue List<String> fields,
      @DefaultValue("true") boolean usual,
      boolean showUnstructured) {}
}
