// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a stored value starts like a compressed one but cannot be read. Only the command that
 * read it fails. The stored bytes stay unchanged, and can be viewed with the inspector.
 */
public final class UnreadableValueException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** The kinds of damage. */
  public enum Reason {
    /** The value ends within its header. */
    TRUNCATED,
    /** Its first bytes are nearly those of an envelope. */
    DAMAGED_MAGIC,
    /** Its format is of a later version. */
    UNKNOWN_VERSION,
    /** This client does not have its algorithm. */
    UNKNOWN_ALGORITHM,
    /** The library of its algorithm is not on the class path. */
    MISSING_LIBRARY,
    /** Its dictionary is lost; the message says how to restore it. */
    LOST_DICTIONARY,
    /** Its dictionary could not be read yet, or is being read. */
    UNLOADED_DICTIONARY,
    /** It claims a size that its bytes cannot decompress to. */
    IMPOSSIBLE_LENGTH,
    /** It, or the reply it is part of, exceeds this client's limit. */
    TOO_LARGE,
    /** Its bytes do not match its checksum. */
    CHECKSUM,
    /** Its checksum is correct, but its algorithm rejects it. */
    CORRUPT
  }

  private final Reason reason;

  /** Creates an exception. */
  public UnreadableValueException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** Returns the kind of damage. */
  public Reason reason() {
    return reason;
  }
}
