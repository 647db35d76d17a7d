package dev.sheaf.benchmarks;

/** How many keys are read. */
public enum Way {
  /** The client's own call for many keys: Lettuce's and Jedis' {@code mget}, Sheaf's getAll. */
  MANY_KEY_CALL,
  /** One asynchronous GET for each key, then waiting for all of them. */
  FUTURES,
  /** What the client offers for sending commands together by hand. */
  PIPELINE,
  /** A loop of blocking GETs, one round trip each. */
  LOOP,
  /** The same loop over {@code sheaf.loop(keys)}. */
  READ_AHEAD,
  /** A blocking body for each key, many of them at a time: {@code sheaf.mapEach}. */
  SIDE_BY_SIDE
}
