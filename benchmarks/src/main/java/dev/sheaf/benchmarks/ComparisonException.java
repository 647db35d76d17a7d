package dev.sheaf.benchmarks;

/** A comparison that cannot go on; the message says why and what to change. */
final class ComparisonException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ComparisonException(String message) {
    super(message);
  }

  ComparisonException(String message, Throwable cause) {
    super(message, cause);
  }
}
