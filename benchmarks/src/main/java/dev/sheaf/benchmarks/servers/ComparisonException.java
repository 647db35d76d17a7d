// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

/** Thrown if a comparison cannot continue; the message says why and what to change. */
public final class ComparisonException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ComparisonException(String message) {
    super(message);
  }

  public ComparisonException(String message, Throwable cause) {
    super(message, cause);
  }
}
