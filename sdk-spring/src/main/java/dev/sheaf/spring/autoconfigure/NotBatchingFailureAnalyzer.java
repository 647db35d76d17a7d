// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.spring.connection.NotBatchingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains how to let the factory batch, or to start without batching. */
final class NotBatchingFailureAnalyzer extends AbstractFailureAnalyzer<NotBatchingException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, NotBatchingException cause) {
    return new FailureAnalysis(
        cause.getMessage() + ", but sheaf.required is true.",
        "Declare the factory as a LettuceConnectionFactory that Spring starts, or set"
            + " sheaf.required=false to start without batching for it.",
        cause);
  }
}
