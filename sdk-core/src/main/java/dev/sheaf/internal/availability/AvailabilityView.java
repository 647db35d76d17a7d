package dev.sheaf.internal.availability;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityListener;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.common.OptionChecks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What callers see of a guard, with their own age and time-out. Thread-safe.
 *
 * @param <K> the type of keys
 */
final class AvailabilityView<K> implements Availability<K> {

  private final Supplier<? extends AvailabilityGuard<?>> guard;
  private final Function<? super K, @Nullable NodeGuard> nodeOf;

  /** Null for the guard's own. */
  private final @Nullable Duration maxAge;

  /** Null for the guard's own. */
  private final @Nullable Duration timeout;

  AvailabilityView(
      Supplier<? extends AvailabilityGuard<?>> guard,
      Function<? super K, @Nullable NodeGuard> nodeOf) {
    this(guard, nodeOf, null, null);
  }

  private AvailabilityView(
      Supplier<? extends AvailabilityGuard<?>> guard,
      Function<? super K, @Nullable NodeGuard> nodeOf,
      @Nullable Duration maxAge,
      @Nullable Duration timeout) {
    this.guard = guard;
    this.nodeOf = nodeOf;
    this.maxAge = maxAge;
    this.timeout = timeout;
  }

  private long maxAgeNanos(AvailabilityGuard<?> guard) {
    return (maxAge == null ? guard.options().maxAge() : maxAge).toNanos();
  }

  private Duration timeout(AvailabilityGuard<?> guard) {
    return timeout == null ? guard.options().timeout() : timeout;
  }

  @Override
  public boolean isAvailable() {
    AvailabilityGuard<?> now = guard.get();
    return (maxAge == null && now.decision().isKnownUp())
        || now.decision().isAvailable(maxAgeNanos(now), timeout(now));
  }

  @Override
  public boolean isAvailable(K key) {
    NodeGuard node = nodeOf(key);
    AvailabilityGuard<?> now = guard.get();
    return node != null && now.decision().isAvailable(node, maxAgeNanos(now), timeout(now));
  }

  private @Nullable NodeGuard nodeOf(K key) {
    return nodeOf.apply(Objects.requireNonNull(key, "The key is null"));
  }

  @Override
  public Duration ping() {
    return await(guard.get().guards());
  }

  @Override
  public Duration ping(K key) {
    NodeGuard node = nodeOf(key);
    if (node == null) {
      throw noNode();
    }
    return await(List.of(node));
  }

  private Duration await(List<NodeGuard> nodes) {
    AvailabilityDecision.requireMayBlock();
    return AvailabilityDecision.await(ping(nodes), nodes, timeout(guard.get()));
  }

  @Override
  public CompletableFuture<Duration> pingAsync() {
    return ping(guard.get().guards());
  }

  @Override
  public CompletableFuture<Duration> pingAsync(K key) {
    NodeGuard node = nodeOf(key);
    return node == null ? CompletableFuture.failedFuture(noNode()) : ping(List.of(node));
  }

  private static UnavailableException noNode() {
    return new UnavailableException("No node serves the slot of that key");
  }

  private CompletableFuture<Duration> ping(List<NodeGuard> nodes) {
    long accepted = maxAge == null ? 0 : maxAge.toNanos();
    return AvailabilityDecision.ping(nodes, accepted, timeout(guard.get()));
  }

  @Override
  public AvailabilityStatus status() {
    return guard.get().status();
  }

  @Override
  public Map<String, AvailabilityStatus> nodes() {
    return guard.get().nodes();
  }

  @Override
  public Registration onChange(AvailabilityListener listener) {
    return guard.get().onChange(listener);
  }

  @Override
  public Availability<K> withMaxAge(Duration maxAge) {
    if (maxAge.isNegative()) {
      throw new IllegalArgumentException("maxAge must be zero or more, but was " + maxAge);
    }
    return new AvailabilityView<>(guard, nodeOf, maxAge, timeout);
  }

  @Override
  public Availability<K> withTimeout(Duration timeout) {
    return new AvailabilityView<>(guard, nodeOf, maxAge, OptionChecks.positive("timeout", timeout));
  }
}
