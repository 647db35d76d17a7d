// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.jspecify.annotations.Nullable;

/** Where a client reports to. */
public final class Meters {

  private Meters() {}

  /** The registry, or one that counts nothing where an application gave none. */
  public static MeterRegistry in(@Nullable MeterRegistry given) {
    return given == null ? new CompositeMeterRegistry() : given;
  }
}
