package dev.sheaf.internal.availability;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityListener;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.availability.UnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** What callers see of the guard, with the age and the patience they asked for. */
final class AvailabilityView<K> implements Availability<K> {

  private final AvailabilityGuard<K> guard;
  private final boolean usual;
  private final long maxAgeNanos;
  private final long pingMaxAgeNanos;
  private final Duration timeout;

  private AvailabilityView(
      AvailabilityGuard<K> guard,
      boolean usual,
      Duration maxAge,
      Duration pingMaxAge,
      Duration timeout) {
    this.guard = guard;
    this.usual = usual;
    this.maxAgeNanos = maxAge.toNanos();
    this.pingMaxAgeNanos = pingMaxAge.toNanos();
    this.timeout = timeout;
  }

  static <K> AvailabilityView<K> of(AvailabilityGuard<K> guard) {
    AvailabilityOptions options = guard.options();
    return new AvailabilityView<>(guard, true, options.maxAge(), Duration.ZERO, options.timeout());
  }

  @Override
  public boolean isAvailable() {
    return (usual && guard.answers().isKnownUp())
        || guard.answers().isAvailable(maxAgeNanos, timeout);
  }

  @Override
  public boolean isAvailable(K key) {
    NodeGuard node = guard.guardOf(Objects.requireNonNull(key, "The key is null"));
    return node != null && guard.answers().isAvailable(node, maxAgeNanos, timeout);
  }

  @Override
  public Duration ping() {
    AvailabilityDecision.requireMayBlock();
    return guard.answers().await(pingAsync(), timeout);
  }

  @Override
  public Duration ping(K key) {
    AvailabilityDecision.requireMayBlock();
    return guard.answers().await(pingAsync(key), timeout);
  }

  @Override
  public CompletableFuture<Duration> pingAsync() {
    return guard.answers().ping(guard.guards(), pingMaxAgeNanos, timeout);
  }

  @Override
  public CompletableFuture<Duration> pingAsync(K key) {
    NodeGuard node = guard.guardOf(Objects.requireNonNull(key, "The key is null"));
    return node == null
        ? CompletableFuture.failedFuture(
            new UnavailableException("No node serves the slot of that key"))
        : guard.answers().ping(List.of(node), pingMaxAgeNanos, timeout);
  }

  @Override
  public AvailabilityStatus status() {
    return guard.status();
  }

  @Override
  public Map<String, AvailabilityStatus> nodes() {
    return guard.nodes();
  }

  @Override
  public Registration onChange(AvailabilityListener listener) {
    return guard.onChange(listener);
  }

  @Override
  public Availability<K> withMaxAge(Duration maxAge) {
    if (maxAge.isNegative()) {
      throw new IllegalArgumentException("maxAge must be zero or more, but was " + maxAge);
    }
    return new AvailabilityView<>(guard, false, maxAge, maxAge, timeout);
  }

  @Override
  public Availability<K> withTimeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout must be positive, but was " + timeout);
    }
    return new AvailabilityView<>(
        guard, usual, Duration.ofNanos(maxAgeNanos), Duration.ofNanos(pingMaxAgeNanos), timeout);
  }
}
