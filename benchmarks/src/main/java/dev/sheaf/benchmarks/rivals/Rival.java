// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.benchmarks.servers.Dataset;
import org.jspecify.annotations.Nullable;

/**
 * A connected client under measurement. Only {@link #get}, {@link #set} and {@link #ping} are
 * thread-safe.
 */
public interface Rival extends AutoCloseable {

  /** Reads one key, blocking. */
  @Nullable String get(String key);

  /** Writes one key, blocking. */
  void set(String key, String value);

  /**
   * Reads a page of keys with the client's multi-key call, or its pipeline if it has none.
   *
   * @return the values in the order of the keys
   */
  @Nullable String[] getAll(String[] keys);

  /** Reads a page with one GET per key, as futures, or as a pipeline for a blocking client. */
  @Nullable String[] getEach(String[] keys);

  /** Reads a page in a loop of blocking GETs. */
  default @Nullable String[] loop(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = get(keys[i]);
    }
    return values;
  }

  /** Reads keys, and for each of them a second key that its value names, in a loop. */
  default @Nullable String[] loopOfTwo(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = get(Dataset.SMALL.following(get(keys[i])));
    }
    return values;
  }

  /** Sends a PING and waits for the reply. */
  void ping();

  @Override
  void close();
}
