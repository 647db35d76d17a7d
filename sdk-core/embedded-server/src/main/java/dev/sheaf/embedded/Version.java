// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The server whose behaviour an {@link EmbeddedServer} has. */
public enum Version {
  /** Redis 7.0, the default: the oldest one that clients still have to serve. */
  REDIS_7_0,
  /** Redis 7.4, the first one with times to live of hash fields. */
  REDIS_7_4,
  REDIS_8_0,
  VALKEY_8_1;

  Edition edition() {
    return Edition.valueOf(name());
  }

  /**
   * By the name that {@link #toString} gives.
   *
   * @throws IllegalArgumentException for any other
   */
  static Version named(String name) {
    for (Version version : values()) {
      if (version.toString().equals(name)) {
        return version;
      }
    }
    List<String> names = Arrays.stream(values()).map(Version::toString).toList();
    throw new IllegalArgumentException("there is no version " + name + ", only " + names);
  }

  /** Such as {@code valkey-8.1}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replaceFirst("_", "-").replace('_', '.');
  }
}
