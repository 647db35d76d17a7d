// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityChange;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.internal.common.Timer;
import io.lettuce.core.RedisClient;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The services shared by the guards of all nodes.
 *
 * @param client opens their connections
 * @param tell queues a change of a node for the listeners
 * @param changed is run after a node has changed, to update the overall status
 * @param checksCluster whether a node of the cluster is DOWN, so that the others are asked about it
 */
record GuardContext(
    WatchSettings settings,
    RedisClient client,
    Timer timer,
    AvailabilityMeters meters,
    Consumer<AvailabilityChange> tell,
    Runnable changed,
    BooleanSupplier checksCluster) {

  AvailabilityOptions options() {
    return settings.options();
  }
}
