// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import org.jspecify.annotations.Nullable;

/**
 * The scripts of one client.
 *
 * <p>Thread-safe.
 *
 * @param <K> the client's type of keys
 * @param <V> the client's type of values
 */
public interface Scripts<K, V> {

  /**
   * How many scripts one client registers at most: 1,000. Each is loaded on new connections; a text
   * that differs from call to call belongs into arguments.
   */
  int MAX_REGISTERED = 1_000;

  /**
   * Makes a script callable, and loads it on every primary that answers, so that a text that cannot
   * be compiled is found now. It is loaded again on every connection that is made later, ahead of
   * the first script called there: to nodes that join, come back, or take over. Blocks, at most the
   * command time-out. To register an equal text twice costs nothing.
   *
   * @throws ScriptException if the server cannot compile it; the message has file, line and reason
   * @throws io.lettuce.core.RedisException if no primary answered
   * @throws IllegalStateException if {@value #MAX_REGISTERED} scripts are registered already, or a
   *     transaction (MULTI) is open on the client's connection
   */
  <T extends @Nullable Object> RegisteredScript<K, T> register(Script<T> script);

  /**
   * Makes an object of an interface whose methods are scripts; see {@link LuaScript}. Everything is
   * checked and loaded before this returns. Blocks, at most the command time-out for each method.
   *
   * @throws ScriptException if a method is declared wrongly, its file is missing or the server
   *     cannot compile it; the message names the method, the file, the line and the reason
   * @throws io.lettuce.core.RedisException if no primary answered
   */
  <I> I bind(Class<I> type);

  /**
   * A value as the client's codec encodes it, never compressed. Stored by a script under any key,
   * {@code get} reads it.
   */
  byte[] encoded(V value);

  /**
   * A value as this client would store it under a key, compressed where the key has a policy: what
   * a script has to be given to store it as SET does. Not to be compared with what is stored: the
   * same value need not be compressed to the same bytes each time.
   */
  byte[] encoded(K key, V value);

  /**
   * A value for a script to compare with what is stored under a key.
   *
   * @throws dev.sheaf.compression.CompressionRefusedException if the value is so large that it may
   *     be stored compressed under this key, so that the two might never be equal
   */
  byte[] encodedToCompare(K key, V value);

  /**
   * The value that this client would read from these stored bytes, decompressed if need be.
   *
   * @throws dev.sheaf.compression.UnreadableValueException if they look compressed and cannot be
   *     read
   */
  V decoded(byte[] bytes);
}
