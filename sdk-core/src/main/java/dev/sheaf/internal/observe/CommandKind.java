// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The common parts of all observations of one command type on one node: their tags, and the meters
 * that a handler last looked up for them.
 *
 * <p>Thread-safe.
 */
final class CommandKind {

  /**
   * A cached meter, the handler that looked it up, and the registry's count of changes at that
   * time.
   */
  record Found<M>(Object by, int changes, M meter) {}

  private final KeyValues tags;
  private final String contextualName;

  /** The tags of commands without an error. */
  volatile @Nullable Found<Timer> timer;

  volatile @Nullable Found<LongTaskTimer> active;

  CommandKind(KeyValues tags, String contextualName) {
    this.tags = tags;
    this.contextualName = contextualName;
  }

  KeyValues tags() {
    return tags;
  }

  String contextualName() {
    return contextualName;
  }
}
