// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityChange;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.common.OptionChecks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A user's view of a guard, with its own age limit and time-out. Thread-safe.
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

  private Duration timeout() {
    return timeout == null ? guard.get().options().timeout() : timeout;
  }

  @Override
  public boolean isAvailable() {
    AvailabilityGuard<?> now = guard.get();
    return isAvailable(now, now.guards());
  }

  @Override
  public boolean isAvailable(K key) {
    NodeGuard node = nodeOf(key);
    return node != null && isAvailable(guard.get(), List.of(node));
  }

  private boolean isAvailable(AvailabilityGuard<?> now, List<NodeGuard> nodes) {
    Duration accepted = maxAge == null ? now.options().maxAge() : maxAge;
    return AvailabilityDecision.isAvailable(nodes, accepted.toNanos(), timeout());
  }

  private @Nullable NodeGuard nodeOf(K key) {
    return nodeOf.apply(Objects.requireNonNull(key, "The key is null"));
  }

  private NodeGuard requireNode(K key) {
    NodeGuard node = nodeOf(key);
    if (node == null) {
      throw new UnavailableException("No node serves the slot of that key");
    }
    return node;
  }

  @Override
  public Duration ping() {
    return AvailabilityDecision.await(guard.get().guards(), timeout());
  }

  @Override
  public Duration ping(K key) {
    return AvailabilityDecision.await(List.of(requireNode(key)), timeout());
  }

  @Override
  public CompletableFuture<Duration> pingAsync() {
    return AvailabilityDecision.ping(guard.get().guards(), timeout());
  }

  @Override
  public CompletableFuture<Duration> pingAsync(K key) {
    try {
      return AvailabilityDecision.ping(List.of(requireNode(key)), timeout());
    } catch (UnavailableException e) {
      return CompletableFuture.failedFuture(e);
    }
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
  public Registration onChange(Consumer<AvailabilityChange> listener) {
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
