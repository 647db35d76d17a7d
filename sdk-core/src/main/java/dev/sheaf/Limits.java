package dev.sheaf;

import java.time.Duration;

/**
 * The limits that {@code SheafBuilder} names for users, where the classes that keep them can see
 * them without seeing it.
 */
final class Limits {

  static final int KEYS_PER_SLICE = 8_192;

  static final int BYTES_PER_SLICE = 1 << 20;

  static final Duration MIN_TTL = Duration.ofMillis(1);

  static final Duration MAX_TTL = Duration.ofDays(365_000);

  static final int MAP_EACH_BODIES = 256;

  static final int MAP_EACH_POOL_THREADS = 64;

  private Limits() {}
}
