// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import org.jspecify.annotations.Nullable;

/** Answers a command in the server's place; see {@link Faults#onCommand}. */
@FunctionalInterface
public interface CommandInterceptor {
  /**
   * Called on the server's command thread, for each execution. It must not wait, and not call the
   * server or a client of it: all of them wait for this thread. An exception becomes an error reply
   * that names it.
   *
   * @return what {@link InterceptedCommand#proceed}, {@link InterceptedCommand#status} or {@link
   *     InterceptedCommand#error} give; or the reply itself: null for nil, a {@link String} (in
   *     UTF-8) or {@code byte[]}, an {@link Integer} or {@link Long}, a {@link Double}, a {@link
   *     Boolean}, or a list, set or map of such
   */
  @Nullable Object answer(InterceptedCommand command);
}
