// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an availability guard.
 *
 * @param resources threads and timers; they are not shut down here
 * @param clientOptions the user's, for TLS and the protocol; null for Lettuce's defaults
 * @param connectTimeout bounds the first attempts to connect
 * @param closeTimeout how long to close may take
 * @param explain returns a clause on why an attempt to connect failed, given its time limit
 * @param registry for the meters; null for none
 * @param clientName the client's name in its meters
 */
public record WatchSettings(
    AvailabilityOptions options,
    ClientResources resources,
    @Nullable ClientOptions clientOptions,
    Duration connectTimeout,
    Duration closeTimeout,
    BiFunction<Throwable, Duration, String> explain,
    @Nullable MeterRegistry registry,
    String clientName) {}
