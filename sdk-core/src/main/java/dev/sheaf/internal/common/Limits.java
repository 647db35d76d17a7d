// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.time.Duration;

/**
 * The limits that {@code SheafBuilder} publishes as constants, in a place that the classes
 * enforcing them can depend on.
 */
public final class Limits {

  public static final int KEYS_PER_SLICE = 8_192;

  public static final int BYTES_PER_SLICE = 1 << 20;

  public static final Duration MIN_TTL = Duration.ofMillis(1);

  public static final Duration MAX_TTL = Duration.ofDays(365_000);

  public static final int MAP_EACH_BODIES = 256;

  public static final int MAP_EACH_POOL_THREADS = 128;

  private Limits() {}
}
