// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown if slices of a scatter failed. */
public final class ScatterException extends SheafException {

  /**
   * The number of failed slices that ends a scatter, and so the most it reports: 100. More would
   * say nothing new, and with an unreachable server each takes its whole time-out.
   */
  public static final int MAX_FAILURES = 100;

  private static final long serialVersionUID = 1L;

  private final transient List<FailedSlice> failures;
  private final long keysDone;
  private final transient Object partial;

  /** Creates an exception. */
  public ScatterException(
      String message,
      @Nullable Throwable cause,
      List<FailedSlice> failures,
      long keysDone,
      Object partial) {
    super(message, cause);
    this.failures = List.copyOf(failures);
    this.keysDone = keysDone;
    this.partial = partial;
  }

  /**
   * A slice that failed.
   *
   * @param keys its keys, as they were passed
   * @param failure the reason. After a {@link dev.sheaf.OutcomeUnknownException}, a script that
   *     writes may have run for these keys
   */
  public record FailedSlice(List<?> keys, Throwable failure) {}

  /** Returns the slices that failed, at least one; unmodifiable. */
  public List<FailedSlice> failures() {
    return failures;
  }

  /** Returns the number of keys in slices that have ended, successfully or not. */
  public long keysDone() {
    return keysDone;
  }

  /** Returns the collector's result for the successful slices. */
  public Object partial() {
    return partial;
  }
}
