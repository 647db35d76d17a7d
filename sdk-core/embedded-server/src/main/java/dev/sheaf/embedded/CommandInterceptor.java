// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import org.jspecify.annotations.Nullable;

/** Answers a command in place of the server; see {@link Faults#onCommand}. */
@FunctionalInterface
public interface CommandInterceptor {
  /**
   * Called on the server's command thread for each execution. It must not block, and must not call
   * the server or a client of it, because they wait for this thread. An exception becomes an error
   * reply that names it.
   *
   * @return the result of {@link InterceptedCommand#proceed}, {@link InterceptedCommand#status} or
   *     {@link InterceptedCommand#error}; or the reply as a value: null for nil, a {@link String}
   *     (in UTF-8) or {@code byte[]}, an {@link Integer} or {@link Long}, a {@link Double}, a
   *     {@link Boolean}, or a list, set or map of these
   */
  @Nullable Object answer(InterceptedCommand command);
}
