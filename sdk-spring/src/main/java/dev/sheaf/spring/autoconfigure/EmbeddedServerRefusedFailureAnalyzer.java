// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains how to configure a Redis, or to allow the embedded server. */
final class EmbeddedServerRefusedFailureAnalyzer
    extends AbstractFailureAnalyzer<EmbeddedServerRefusedException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedServerRefusedException cause) {
    return new FailureAnalysis(
        "No Redis is configured, sheaf-embedded-server is on the class path, and the profile "
            + cause.profile()
            + " is active, under which an embedded server would lose the data of production.",
        "Say where Redis is, for example with spring.data.redis.url. To run on the embedded server"
            + " nonetheless, set sheaf.embedded.allowed-in-production=true.",
        cause);
  }
}
