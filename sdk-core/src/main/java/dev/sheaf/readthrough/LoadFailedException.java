package dev.sheaf.readthrough;

import dev.sheaf.SheafException;

/**
 * A loader threw a checked exception, which is the cause. Unchecked ones reach the callers as they
 * are.
 */
public final class LoadFailedException extends SheafException {

  private static final long serialVersionUID = 1L;

  LoadFailedException(Throwable cause) {
    super("The loader failed: " + cause, cause);
  }
}
