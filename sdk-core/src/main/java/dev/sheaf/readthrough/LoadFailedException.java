// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import dev.sheaf.SheafException;

/** The failure of a loader with a checked exception, which is the cause. */
public final class LoadFailedException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Wraps what the loader threw. */
  public LoadFailedException(Throwable cause) {
    super("The loader failed: " + cause, cause);
  }
}
