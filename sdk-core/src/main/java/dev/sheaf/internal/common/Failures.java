// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Unwraps exceptions of futures. */
public final class Failures {

  private Failures() {}

  /** The cause, without the wrappers that futures add. */
  public static Throwable cause(Throwable failure) {
    @Nullable Throwable cause = failure.getCause();
    boolean wrapped =
        failure instanceof CompletionException || failure instanceof ExecutionException;
    return wrapped && cause != null ? cause(cause) : failure;
  }
}
