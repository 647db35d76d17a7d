// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.protocol.Edition;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The servers whose behaviour an {@link EmbeddedServer} can have. */
public enum Version {
  /** Redis 7.0, the default: the oldest version that clients commonly support. */
  REDIS_7_0,
  /** Redis 7.4, the first version with a time to live for hash fields. */
  REDIS_7_4,
  REDIS_8_0,
  VALKEY_8_1;

  Edition edition() {
    return Edition.valueOf(name());
  }

  /**
   * Returns the version with this name, as {@link #toString} returns it.
   *
   * @throws IllegalArgumentException if there is none
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

  /** Returns the name, such as {@code valkey-8.1}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replaceFirst("_", "-").replace('_', '.');
  }
}
