// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.Nullable;

/** Refuses what callers of this library do wrong. The texts are forms of {@link String#format}. */
public final class Check {

  private Check() {}

  /**
   * Refuses an argument.
   *
   * @throws IllegalArgumentException if it is wrong
   */
  public static void argument(boolean wrong, String form, @Nullable Object... values) {
    if (wrong) {
      throw new IllegalArgumentException(form.formatted(values));
    }
  }

  /**
   * Refuses a call that comes too early or too late.
   *
   * @throws IllegalStateException if it is wrong
   */
  public static void state(boolean wrong, String form, @Nullable Object... values) {
    if (wrong) {
      throw new IllegalStateException(form.formatted(values));
    }
  }
}
