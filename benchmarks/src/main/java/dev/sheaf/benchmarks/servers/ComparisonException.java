// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

/** A comparison that cannot go on; the message says why and what to change. */
public final class ComparisonException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ComparisonException(String message) {
    super(message);
  }

  public ComparisonException(String message, Throwable cause) {
    super(message, cause);
  }
}
