package dev.sheaf.benchmarks;

import org.jspecify.annotations.Nullable;

/** A connected client under measurement. Thread-safe, {@link #getMany} excepted. */
interface Rival extends AutoCloseable {

  /** Reads one key, blocking. */
  @Nullable String get(String key);

  /**
   * Reads keys in one of the ways, blocking until the last value is there. For one thread.
   *
   * @return the values in the order of the keys
   */
  @Nullable String[] getMany(Way way, String[] keys);

  @Override
  void close();
}
