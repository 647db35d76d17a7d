// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.internal.client.DefaultSheaf;
import dev.sheaf.internal.command.WriteClock;

/** What tests see of a client that users do not. */
public final class Inside {

  private Inside() {}

  /** The clock that tells the loops of a client of its writes. */
  public static WriteClock writesOf(Sheaf<?, ?> sheaf) {
    return ((DefaultSheaf<?, ?>) sheaf).writes();
  }
}
