// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

/**
 * Scripts that everybody writes sooner or later, ready to be registered. Keys and arguments are in
 * the order of the descriptions.
 *
 * <p>They see stored bytes: where a value is compared or stored, pass {@link Scripts#encoded} of it
 * if the client has a codec of its own or compresses.
 */
public final class ScriptLibrary {

  /**
   * The sum of the sizes of sorted sets; missing keys count as empty. Any number of keys, made for
   * {@code scatter(keys, List.of(), Collectors.summingLong(size -> size))}. O(keys).
   */
  public static final Script<Long> SUM_ZCARD = sum("sum_zcard");

  /** The sum of the sizes of sets; otherwise as {@link #SUM_ZCARD}. */
  public static final Script<Long> SUM_SCARD = sum("sum_scard");

  /** The sum of the lengths of lists; otherwise as {@link #SUM_ZCARD}. */
  public static final Script<Long> SUM_LLEN = sum("sum_llen");

  /**
   * Sets a string to a new value if it is the expected one. One key; the expected bytes, the new
   * bytes, and, if wanted, how many milliseconds the key lives from now on; without, it keeps what
   * it has. True if it was set; false, too, if the key is missing or has no string of these bytes.
   */
  public static final Script<Boolean> COMPARE_AND_SET =
      file("compare_and_set").keys(1).args(2, 3).returns(ResultType.BOOLEAN);

  /**
   * Deletes a string if it is the expected one, as the holder of a lock does. One key; the expected
   * bytes. True if it was deleted.
   */
  public static final Script<Boolean> COMPARE_AND_DELETE =
      file("compare_and_delete").keys(1).args(1).returns(ResultType.BOOLEAN);

  /**
   * Takes tokens out of a bucket that fills again with time, by the server's clock. One key; the
   * capacity (at least 1), the tokens added per second (above 0, fractions allowed), and how many
   * to take (at least 0, at most the capacity). 0 if they were taken; else how many milliseconds
   * until there will be enough, if nobody else takes any: nothing was taken then. A bucket that is
   * full expires.
   */
  public static final Script<Long> TOKEN_BUCKET =
      file("token_bucket").keys(1).args(3).returns(ResultType.INTEGER);

  /**
   * Adds to a counter and gives it a life if it has none, in one step, so that none lives for ever
   * because a client died between two. One key; what to add, and the milliseconds to live. The new
   * value.
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
