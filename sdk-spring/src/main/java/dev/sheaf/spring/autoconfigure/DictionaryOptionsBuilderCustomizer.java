// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.compression.DictionaryOptions;

/**
 * A bean that changes the options of dictionaries after the properties have, such as by {@link
 * DictionaryOptions.Builder#redact}, which no property can say. Asked where {@code
 * sheaf.compression.dictionaries.mode} is {@code on} or {@code read-only}.
 */
@FunctionalInterface
public interface DictionaryOptionsBuilderCustomizer {

  /** Changes the options. */
  void customize(DictionaryOptions.Builder builder);
}
