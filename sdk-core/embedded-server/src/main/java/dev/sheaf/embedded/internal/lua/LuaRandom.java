// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * The generator behind math.random: drand48's linear congruence of 48 bits, so that a seed gives
 * the sequence a server gives. It goes on from script to script; only a seed starts it anew.
 */
final class LuaRandom {

  private static final long MULTIPLIER = 0x5DEECE66DL;
  private static final long INCREMENT = 0xB;
  private static final long MASK = (1L << 48) - 1;
  private static final long LOW_SEED = 0x330E;
  private static final long FIRST_STATE = 0x1234ABCD330EL;

  /** The server's bound of the generator: the largest value is mapped to zero. */
  private static final long BOUND = Integer.MAX_VALUE;

  private long state = FIRST_STATE;

  void seed(int seed) {
    state = (seed & 0xFFFFFFFFL) << 16 | LOW_SEED;
  }

  /** Returns a number from 0 to below 1. */
  double next() {
    state = (state * MULTIPLIER + INCREMENT) & MASK;
    long bits = state >>> 17;
    return (double) (bits % BOUND) / BOUND;
  }
}
