// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.data.redis.RedisConnectionFailureException;

/** Names the address at which Redis was expected, for an application that needs it to start. */
final class RedisUnreachableFailureAnalyzer
    extends AbstractFailureAnalyzer<RedisConnectionFailureException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, RedisConnectionFailureException cause) {
    return new FailureAnalysis(
        "The application needs Redis to start and could not connect: " + reason(cause),
        "Start Redis there, or say with spring.data.redis.url (or host and port) where it is. For"
            + " development, add dev.sheaf:sheaf-embedded-server and leave spring.data.redis unset.",
        cause);
  }

  /** The last cause names the problem, those before it the address. */
  private static String reason(Throwable failure) {
    StringBuilder reason = new StringBuilder(String.valueOf(failure.getMessage()));
    int depth = 0;
    for (Throwable cause = failure.getCause();
        cause != null && depth < 8;
        cause = cause.getCause(), depth++) {
      String message = String.valueOf(cause.getMessage());
      if (reason.indexOf(message) < 0) {
        reason.append(": ").append(message);
      }
    }
    return reason.toString();
  }
}
