// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.Nullable;

/** Argument and state checks. Texts are {@link String#format} patterns. */
public final class Check {

  private Check() {}

  /**
   * Checks an argument.
   *
   * @throws IllegalArgumentException if the condition is false
   */
  public static void argument(boolean wrong, String form, @Nullable Object... values) {
    if (wrong) {
      throw new IllegalArgumentException(form.formatted(values));
    }
  }

  /**
   * Checks a state.
   *
   * @throws IllegalStateException if the condition is false
   */
  public static void state(boolean wrong, String form, @Nullable Object... values) {
    if (wrong) {
      throw new IllegalStateException(form.formatted(values));
    }
  }
}
