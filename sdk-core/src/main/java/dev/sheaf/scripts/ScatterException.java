// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some slices of a scatter failed, or it was stopped before its end. */
public final class ScatterException extends SheafException {

  /**
   * How many failed slices end a scatter, and so how many there are to report at most: 100. Further
   * ones would tell nothing new, and with a server that is away each takes its whole time-out.
   */
  public static final int MAX_FAILURES = 100;

  private static final long serialVersionUID = 1L;

  private final transient List<FailedSlice> failures;
  private final ScatterProgress progress;
  private final transient Object partial;

  /** Creates a failure. */
  public ScatterException(
      String message,
      @Nullable Throwable cause,
      List<FailedSlice> failures,
      ScatterProgress progress,
      Object partial) {
    super(message, cause);
    this.failures = List.copyOf(failures);
    this.progress = progress;
    this.partial = partial;
  }

  /**
   * A slice without a result.
   *
   * @param keys its keys, as they were given
   * @param failure why. After a {@link dev.sheaf.OutcomeUnknownException}, a script that writes may
   *     have run for these keys
   */
  public record FailedSlice(List<?> keys, Throwable failure) {}

  /** The slices that failed; empty if it was stopped. Unmodifiable. */
  public List<FailedSlice> failures() {
    return failures;
  }

  /** How far it had come. */
  public ScatterProgress progress() {
    return progress;
  }

  /** What the reducer had made of the slices that ended well. */
  public Object partial() {
    return partial;
  }
}
