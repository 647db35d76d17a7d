package dev.sheaf.benchmarks;

import org.jspecify.annotations.Nullable;

/** A connected client under measurement. Thread-safe, reading many keys excepted. */
interface Rival extends AutoCloseable {

  /** Reads one key, blocking. */
  @Nullable String get(String key);

  /**
   * Reads keys in one of the client's own ways, blocking until the last value is there. For one
   * thread.
   *
   * @return the values in the order of the keys
   */
  @Nullable String[] getMany(Way way, String[] keys);

  /** As {@link #getMany}, in any way that the client offers, a plain loop among them. */
  default @Nullable String[] read(Way way, String[] keys) {
    if (way != Way.LOOP) {
      return getMany(way, keys);
    }
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = get(keys[i]);
    }
    return values;
  }

  /**
   * Reads keys, and then those that their values name: in two turns, unless the client knows
   * better.
   *
   * @return the values read last
   */
  default @Nullable String[] readDependent(Way way, String[] keys) {
    return read(way, Dataset.following(read(way, keys)));
  }

  /** Sends a PING, or takes part in one, and waits for the answer. */
  default void ping() {
    throw new UnsupportedOperationException("This client has no PING");
  }

  @Override
  void close();
}
