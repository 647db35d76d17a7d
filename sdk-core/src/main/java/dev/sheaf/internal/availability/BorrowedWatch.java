package dev.sheaf.internal.availability;

import dev.sheaf.SheafException;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityListener;
import dev.sheaf.availability.AvailabilityStatus;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A watch that another one keeps. Thread-safe. */
final class BorrowedWatch<K, B> implements Watch<K> {

  private final Supplier<? extends Watch<B>> owner;
  private final Function<? super K, ? extends B> asOwners;
  private final Availability<K> view;

  BorrowedWatch(Supplier<? extends Watch<B>> owner, Function<? super K, ? extends B> asOwners) {
    this.owner = owner;
    this.asOwners = asOwners;
    this.view = new View<K, B>(() -> owner.get().availability(), asOwners);
  }

  @Override
  public Availability<K> availability() {
    owner.get().availability(); // It fails if the owner is closed, as that of an owner does.
    return view;
  }

  @Override
  public boolean mayUse(K key) {
    Watch<B> now = ownerOrNone();
    return now != null && now.mayUse(asOwners.apply(key));
  }

  @Override
  public @Nullable Future<?> after(Runnable task, long delayNanos) {
    Watch<B> now = ownerOrNone();
    return now == null ? null : now.after(task, delayNanos);
  }

  /** Null if the owner is closed, which is no reason to fail for those who ask whether to go on. */
  private @Nullable Watch<B> ownerOrNone() {
    try {
      return owner.get();
    } catch (IllegalStateException | SheafException closed) {
      return null;
    }
  }

  @Override
  public void close() {
    // The owner does.
  }

  private record View<K, B>(
      Supplier<Availability<B>> owner, Function<? super K, ? extends B> asOwners)
      implements Availability<K> {

    private B owners(K key) {
      return asOwners.apply(Objects.requireNonNull(key, "The key is null"));
    }

    @Override
    public boolean isAvailable() {
      return owner.get().isAvailable();
    }

    @Override
    public boolean isAvailable(K key) {
      return owner.get().isAvailable(owners(key));
    }

    @Override
    public Duration ping() {
      return owner.get().ping();
    }

    @Override
    public Duration ping(K key) {
      return owner.get().ping(owners(key));
    }

    @Override
    public CompletableFuture<Duration> pingAsync() {
      return owner.get().pingAsync();
    }

    @Override
    public CompletableFuture<Duration> pingAsync(K key) {
      return owner.get().pingAsync(owners(key));
    }

    @Override
    public AvailabilityStatus status() {
      return owner.get().status();
    }

    @Override
    public Map<String, AvailabilityStatus> nodes() {
      return owner.get().nodes();
    }

    @Override
    public Registration onChange(AvailabilityListener listener) {
      return owner.get().onChange(listener);
    }

    @Override
    public Availability<K> withMaxAge(Duration maxAge) {
      return changed(each -> each.withMaxAge(maxAge));
    }

    @Override
    public Availability<K> withTimeout(Duration timeout) {
      return changed(each -> each.withTimeout(timeout));
    }

    private Availability<K> changed(Function<Availability<B>, Availability<B>> change) {
      Objects.requireNonNull(
          change.apply(
              owner.get())); // Refuses what is out of bounds now, and not with the first use.
      return new View<K, B>(() -> change.apply(owner.get()), asOwners);
    }
  }
}
