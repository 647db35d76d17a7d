// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.jspecify.annotations.Nullable;

/** The meter registry of a client. */
public final class Meters {

  private Meters() {}

  /** The given registry, or an empty composite that records nothing. */
  public static MeterRegistry in(@Nullable MeterRegistry given) {
    return given == null ? new CompositeMeterRegistry() : given;
  }
}
