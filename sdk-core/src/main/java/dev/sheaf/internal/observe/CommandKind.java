// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * What the observations of all commands of one type to one node have in common: their tags, and
 * their meters as a handler found them last.
 *
 * <p>Thread-safe.
 */
final class CommandKind {

  /**
   * A meter that was looked up, the handler that did, and how often the registry had changed by
   * then.
   */
  record Found<M>(Object by, int changes, M meter) {}

  private final KeyValues tags;
  private final String contextualName;

  /** Of commands without an error. */
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
