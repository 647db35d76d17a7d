// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * A stored value that begins as a compressed one does and cannot be read. Only the command that met
 * it fails; what is stored stays as it is, for the inspector to look at.
 */
public final class UnreadableValueException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** What is wrong with the value. */
  public enum Reason {
    /** It ends within its header. */
    TRUNCATED,
    /** Its first bytes are nearly those of an envelope. */
    DAMAGED_MAGIC,
    /** Its format is one of a later version. */
    UNKNOWN_VERSION,
    /** Its algorithm is none of those that this client has. */
    UNKNOWN_ALGORITHM,
    /** The library of its algorithm is not on the class path. */
    MISSING_LIBRARY,
    /** The dictionary it needs is lost; the message says how to restore it. */
    LOST_DICTIONARY,
    /** The dictionary it needs could not be read yet, or is being read. */
    UNLOADED_DICTIONARY,
    /** It says that it is larger than its bytes can stand for. */
    IMPOSSIBLE_LENGTH,
    /** It, or the reply it is part of, is larger than this client accepts. */
    TOO_LARGE,
    /** Its bytes are not those that were written. */
    CHECKSUM,
    /** Its checksum is right, and its algorithm rejects it. */
    CORRUPT
  }

  private final Reason reason;

  /** Creates the failure. */
  public UnreadableValueException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** What is wrong with the value. */
  public Reason reason() {
    return reason;
  }
}
