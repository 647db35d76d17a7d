// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.SheafException;

/**
 * Thrown for a command that the server would run on the compressed bytes of a value, with a wrong
 * result: APPEND, GETRANGE, STRLEN and the like, on a key whose values may be compressed. It was
 * not sent. The message says what to do instead.
 */
public final class CompressionRefusedException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception. The message says what to do instead. */
  public CompressionRefusedException(String message) {
    super(message);
  }
}
