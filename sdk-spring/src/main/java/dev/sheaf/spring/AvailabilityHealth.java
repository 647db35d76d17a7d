package dev.sheaf.spring;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The state that the availability guard knows Redis to be in. It asks nothing that was not asked
 * anyway and waits for the guard's time-out at most, when nothing was heard yet.
 *
 * <p>A slow Redis is healthy, with a detail that says so: an instance that is taken out of service
 * for it would make it no faster, and read-throughs and caches have stopped asking it already.
 */
final class AvailabilityHealth extends AbstractHealthIndicator {

  private final RedisConnectionFactory factory;
  private final Duration timeout;
  private final Duration firstTimeout;

  /** Whether the guard was asked: a connection that others opened says nothing of the guard's. */
  private volatile boolean asked;

  /**
   * Creates an indicator.
   *
   * @param timeout how long to wait for a connection; the guard has its own for answers
   * @param firstTimeout how long to wait the first time, if nothing has connected before
   */
  AvailabilityHealth(RedisConnectionFactory factory, Duration timeout, Duration firstTimeout) {
    super("Redis health check failed");
    this.factory = factory;
    this.timeout = timeout;
    this.firstTimeout = firstTimeout.compareTo(timeout) > 0 ? firstTimeout : timeout;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    if (factory instanceof BatchingConnectionFactory batching && batching.batches()) {
      Duration patience = batching.hasTried() ? timeout : firstTimeout;
      Availability<byte[]> availability = batching.sharedWithin(patience).availability();
      boolean first = !asked;
      asked = true;
      report(first ? availability.withTimeout(firstTimeout) : availability, health);
    } else {
      ping(health);
    }
  }

  private static void report(Availability<byte[]> availability, Health.Builder health) {
    boolean usable = availability.isAvailable();
    AvailabilityStatus status = availability.status();
    if (usable || status.state() != AvailabilityState.DOWN) {
      health.up();
    } else {
      health.down();
    }
    health.withDetails(details(status));
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

  /** For a factory that does not batch, and so has no guard. */
  private void ping(Health.Builder health) {
    try (RedisConnection connection = factory.getConnection()) {
      health.up().withDetail("ping", String.valueOf(connection.ping()));
    }
  }
}
