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
   * The most scripts that one client registers: 1,000. Each is loaded on new connections. Text that
   * differs between calls belongs into arguments.
   */
  int MAX_REGISTERED = 1_000;

  /**
   * Makes a script callable and loads it on every primary that answers, so that compile errors are
   * found now. On later connections it is loaded again before the first script call: on nodes that
   * join, come back, or take over. Blocks at most the command time-out. Registering an equal text
   * again costs nothing.
   *
   * @throws ScriptException if the server cannot compile it; the message has file, line and reason
   * @throws io.lettuce.core.RedisException if no primary answered
   * @throws IllegalStateException if {@value #MAX_REGISTERED} scripts are already registered, or a
   *     transaction (MULTI) is open on the client's connection
   */
  <T extends @Nullable Object> RegisteredScript<K, T> register(Script<T> script);

  /**
   * Creates an implementation of an interface whose methods are scripts; see {@link LuaScript}.
   * Validates and loads everything before it returns. Blocks at most the command time-out for each
   * method.
   *
   * @throws ScriptException if a method is declared wrongly, its file is missing, or the server
   *     cannot compile it; the message names the method, the file, the line and the reason
   * @throws io.lettuce.core.RedisException if no primary answered
   */
  <I> I bind(Class<I> type);

  /**
   * Returns a value as the client's codec encodes it, without compression. If a script stores it
   * under any key, {@code get} can read it.
   */
  byte[] encoded(V value);

  /**
   * Returns a value as this client would store it under a key, compressed if the key has a policy.
   * Pass it to a script that stores it as SET does. Do not compare it with stored bytes: a value is
   * not always compressed to the same bytes.
   */
  byte[] encoded(K key, V value);

  /**
   * Returns a value for a script to compare with the stored bytes of a key.
   *
   * @throws dev.sheaf.compression.CompressionRefusedException if the value is so large that it can
   *     be stored compressed under this key, so that equal values could differ
   */
  byte[] encodedToCompare(K key, V value);

  /**
   * Decodes stored bytes as this client would read them, decompressed if necessary.
   *
   * @throws dev.sheaf.compression.UnreadableValueException if they look compressed and cannot be
   *     decompressed
   */
  V decoded(byte[] bytes);
}
