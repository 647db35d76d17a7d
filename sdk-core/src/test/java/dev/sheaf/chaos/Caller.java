// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import java.util.Random;

/** What one thread of the chaos does, over and over. */
interface Caller {

  /**
   * Makes one call and looks at each of its results.
   *
   * @return how many commands were answered and checked
   */
  int call(Random random) throws Exception;

  /** Compares what is there in the end with what the thread did; the servers must be well. */
  void compare() throws Exception;
}
