// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A health indicator with the state of Redis as the availability guard knows it. It sends nothing
 * of its own, and waits at most the guard's time-out if no reply has arrived yet.
 *
 * <p>A slow Redis is healthy, with a detail that says so: taking an instance out of service would
 * not make it faster, and read-throughs and caches no longer ask it. So is a Redis that the guard
 * found DOWN a moment ago. The guard decides within a fraction of a second, for callers with an
 * alternative. A load balancer that followed it would drop all instances at once.
 */
final class AvailabilityHealth extends AbstractHealthIndicator {

  /**
   * How long Redis is SLOW before it is DOWN, unless configured: at most 5 seconds, a common
   * interval of load balancer probes.
   */
  private static final Duration MAX_DOWN_AFTER = Duration.ofSeconds(5);

  private final RedisConnectionFactory factory;
  private final Duration timeout;
  private final Duration firstTimeout;
  private final @Nullable Duration downAfter;
  private final InstantSource clock;

  /** Whether the guard was asked: a connection opened by others says nothing about the guard's. */
  private volatile boolean asked;

  /**
   * Creates an indicator.
   *
   * @param timeout how long to wait for a connection; answers have the guard's own time-out
   * @param firstTimeout how long to wait the first time, if nothing has connected before
   * @param downAfter how long the guard must have found Redis DOWN; null for the command time-out,
   *     at most 5 seconds
   */
  AvailabilityHealth(
      RedisConnectionFactory factory,
      Duration timeout,
      Duration firstTimeout,
      @Nullable Duration downAfter,
      InstantSource clock) {
    super("Redis health check failed");
    this.factory = factory;
    this.timeout = timeout;
    this.firstTimeout = firstTimeout.compareTo(timeout) > 0 ? firstTimeout : timeout;
    this.downAfter = downAfter;
    this.clock = clock;
  }

  private Duration downAfter(BatchingConnectionFactory batching) {
    if (downAfter != null) {
      return downAfter;
    }
    Duration commands = batching.getClientConfiguration().getCommandTimeout();
    // Zero means no limit.
    return commands.isZero() || commands.compareTo(MAX_DOWN_AFTER) > 0 ? MAX_DOWN_AFTER : commands;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    if (factory instanceof BatchingConnectionFactory batching && batching.batches()) {
      Duration patience = batching.hasTried() ? timeout : firstTimeout;
      Availability<byte[]> availability = batching.sharedWithin(patience).availability();
      boolean first = !asked;
      asked = true;
      report(
          first ? availability.withTimeout(firstTimeout) : availability,
          downAfter(batching),
          health);
    } else {
      ping(health);
    }
  }

  private void report(
      Availability<byte[]> availability, Duration downAfter, Health.Builder health) {
    boolean usable = availability.isAvailable();
    AvailabilityStatus status = availability.status();
    boolean foundDown = !usable && status.state() == AvailabilityState.DOWN;
    boolean down = foundDown && !clock.instant().isBefore(status.since().plus(downAfter));
    health.status(down ? Status.DOWN : Status.UP).withDetails(details(status));
    if (foundDown && !down) {
      health
          .withDetail("state", AvailabilityState.SLOW.name())
          .withDetail(
              "reason", status.reason() + "; DOWN if that lasts " + downAfter.toMillis() + " ms");
    }
    Map<String, AvailabilityStatus> nodes = availability.nodes();
    if (nodes.size() > 1) {
      Map<String, Object> each = new LinkedHashMap<>();
      nodes.forEach((node, known) -> each.put(node, details(known)));
      health.withDetail("nodes", each);
    }
  }

  private static Map<String, Object> details(AvailabilityStatus status) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("state", status.state().name());
    details.put("reason", status.reason());
    details.put("since", status.since().toString());
    @Nullable Duration roundTrip = status.roundTrip();
    if (roundTrip != null) {
      details.put("roundTrip", roundTrip.toNanos() / 1_000 + " us");
    }
    return details;
  }

  /** For a factory that does not batch and so has no guard. */
  private void ping(Health.Builder health) {
    try (RedisConnection connection = factory.getConnection()) {
      health.up().withDetail("ping", String.valueOf(connection.ping()));
    }
  }
}
