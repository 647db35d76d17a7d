// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.compression.DictionaryOptions;

/**
 * A bean that changes the options of dictionaries after the properties were applied, for example
 * {@link DictionaryOptions.Builder#redact}, which has no property. Used if {@code
 * sheaf.compression.dictionaries.mode} is {@code on} or {@code read-only}.
 */
@FunctionalInterface
public interface DictionaryOptionsBuilderCustomizer {

  /** Changes the options. */
  void customize(DictionaryOptions.Builder builder);
}
