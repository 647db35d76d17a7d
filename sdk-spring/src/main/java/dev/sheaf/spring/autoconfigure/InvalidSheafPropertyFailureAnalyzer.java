// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Names the property to change. */
final class InvalidSheafPropertyFailureAnalyzer
    extends AbstractFailureAnalyzer<InvalidSheafPropertyException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidSheafPropertyException cause) {
    return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.remedy(), cause);
  }
}
