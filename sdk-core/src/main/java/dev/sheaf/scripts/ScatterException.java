// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some slices of a scatter failed. */
public final class ScatterException extends SheafException {

  /**
   * How many failed slices end a scatter, and so how many there are to report at most: 100. Further
   * ones would tell nothing new, and with a server that is away each takes its whole time-out.
   */
  public static final int MAX_FAILURES = 100;

  private static final long serialVersionUID = 1L;

  private final transient List<FailedSlice> failures;
  private final long keysDone;
  private final transient Object partial;

  /** Creates a failure. */
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
   * A slice without a result.
   *
   * @param keys its keys, as they were given
   * @param failure why. After a {@link dev.sheaf.OutcomeUnknownException}, a script that writes may
   *     have run for these keys
   */
  public record FailedSlice(List<?> keys, Throwable failure) {}

  /** The slices that failed, at least one; unmodifiable. */
  public List<FailedSlice> failures() {
    return failures;
  }

  /** How many keys were in slices that have ended, well or not. */
  public long keysDone() {
    return keysDone;
  }

  /** What the collector makes of the slices that ended well. */
  public Object partial() {
    return partial;
  }
}
