// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

/**
 * Common scripts, ready to be registered. Keys and arguments are in the order of the descriptions.
 *
 * <p>They work on stored bytes. Where a value is compared or stored, pass {@link Scripts#encoded}
 * of the value if the client has a codec of its own or compresses.
 */
public final class ScriptLibrary {

  /**
   * The sum of the sizes of sorted sets; missing keys count as empty. Takes any number of keys; use
   * it with {@code scatter(keys, List.of(), Collectors.summingLong(size -> size))}. O(keys).
   */
  public static final Script<Long> SUM_ZCARD = sum("sum_zcard");

  /** The sum of the sizes of sets; otherwise as {@link #SUM_ZCARD}. */
  public static final Script<Long> SUM_SCARD = sum("sum_scard");

  /** The sum of the lengths of lists; otherwise as {@link #SUM_ZCARD}. */
  public static final Script<Long> SUM_LLEN = sum("sum_llen");

  /**
   * Sets a string to a new value if it has the expected value. One key; arguments: the expected
   * bytes, the new bytes, and optionally the time to live in milliseconds (by default unchanged).
   * Returns whether it was set: false also if the key is missing or holds other bytes.
   */
  public static final Script<Boolean> COMPARE_AND_SET =
      file("compare_and_set").keys(1).args(2, 3).returns(ResultType.BOOLEAN);

  /**
   * Deletes a string if it has the expected value, as the holder of a lock does. One key; argument:
   * the expected bytes. Returns whether it was deleted.
   */
  public static final Script<Boolean> COMPARE_AND_DELETE =
      file("compare_and_delete").keys(1).args(1).returns(ResultType.BOOLEAN);

  /**
   * Takes tokens from a token bucket, which is refilled by the server's clock. One key; arguments:
   * the capacity (at least 1), the tokens added per second (above 0, fractions allowed), and the
   * number to take (0 to the capacity). Returns 0 if they were taken. Otherwise takes nothing and
   * returns the milliseconds until there are enough, if nobody else takes any. A full bucket
   * expires.
   */
  public static final Script<Long> TOKEN_BUCKET =
      file("token_bucket").keys(1).args(3).returns(ResultType.INTEGER);

  /**
   * Adds to a counter, and sets its time to live if it has none, in one step: no counter lives for
   * ever because a client failed between two commands. One key; arguments: the number to add, and
   * the time to live in milliseconds. Returns the new value.
   */
  public static final Script<Long> INCREMENT_WITH_EXPIRY =
      file("increment_with_expiry").keys(1).args(2).returns(ResultType.INTEGER);

  private ScriptLibrary() {}

  private static Script<Long> sum(String name) {
    return file(name).readOnly().args(0).returns(ResultType.INTEGER);
  }

  private static Script.Definition file(String name) {
    ClassLoader loader = ScriptLibrary.class.getClassLoader();
    return Script.fromClassPath(
        "dev/sheaf/scripts/" + name + ".lua",
        loader == null ? ClassLoader.getSystemClassLoader() : loader);
  }
}
