package dev.sheaf.benchmarks;

/** How many keys are read at once. */
public enum Way {
  /** The client's own call for many keys: Lettuce's and Jedis' {@code mget}, Sheaf's getAll. */
  MANY_KEY_CALL,
  /** One asynchronous GET for each key, then waiting for all of them. */
  FUTURES,
  /** What the client offers for sending commands together by hand. */
  PIPELINE
}
