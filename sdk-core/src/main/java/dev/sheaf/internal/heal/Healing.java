// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import dev.sheaf.availability.HealedConnection;
import dev.sheaf.availability.HealedConnection.Cause;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.internal.common.Pace;
import dev.sheaf.internal.common.Timer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The healing of one client, shared by its connections: the options, the rate limit of closings,
 * and the list of closed connections. Thread-safe.
 */
public final class Healing {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.healing");

  /** How many closed connections are remembered. */
  private static final int REMEMBERED = 16;

  /** The rate limit of all clients in the JVM: a hundred nodes in five seconds. */
  private static final Pace TURNS_OF_JVM = Pace.of(Duration.ofSeconds(1).dividedBy(20));

  private final HealingOptions options;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private final Map<Cause, Counter> counters = new EnumMap<>(Cause.class);
  private final Set<Healer> healers = ConcurrentHashMap.newKeySet();
  private final Pace turns;
  private volatile Runnable refreshTopology = () -> {};

  /** Latest last; guarded by itself. */
  private final Deque<HealedConnection> latest = new ArrayDeque<>();

  /**
   * Creates the healing of one client.
   *
   * @param registry null without meters
   * @param client the client's name in its meter
   */
  public Healing(HealingOptions options, @Nullable MeterRegistry registry, String client) {
    this(
        options,
        System::nanoTime,
        () -> ThreadLocalRandom.current().nextLong(),
        TURNS_OF_JVM,
        registry,
        client);
  }

  /**
   * Creates a healing.
   *
   * @param clock as System.nanoTime
   */
  Healing(
      HealingOptions options,
      LongSupplier clock,
      RandomGenerator random,
      Pace turns,
      @Nullable MeterRegistry registry,
      String client) {
    this.options = options;
    this.clock = clock;
    this.random = random;
    this.turns = turns;
    if (registry != null) {
      for (Cause cause : Cause.values()) {
        counters.put(
            cause,
            Counter.builder("sheaf.connections.healed")
                .description("Connections closed by the client to be made anew")
                .tag("client", client)
                .tag("cause", cause.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .register(registry));
      }
    }
  }

  /** Creates the healer of a connection; {@link Healer#close} ends it. */
  public Healer healer(Timer timer) {
    Healer healer = new Healer(this, timer);
    healers.add(healer);
    return healer;
  }

  /** Sets the action that triggers a topology refresh, without waiting. */
  public void refreshTopologyBy(Runnable refresh) {
    refreshTopology = refresh;
  }

  /** The connections that were closed recently, latest last. */
  public List<HealedConnection> latest() {
    synchronized (latest) {
      return List.copyOf(latest);
    }
  }

  /** Whether connections are closed at all. */
  public boolean isEnabled() {
    return options.enabled();
  }

  /**
   * Starts a suspicion on all connections to a server that is the primary no more.
   *
   * @param from its resolved address
   */
  public void failedOver(SocketAddress from, String reason) {
    healers.forEach(healer -> healer.failedOver(from, reason));
  }

  HealingOptions options() {
    return options;
  }

  long now() {
    return clock.getAsLong();
  }

  /** A random time up to the given one. */
  long upTo(long nanos) {
    return (long) (random.nextDouble() * nanos);
  }

  /** Takes the next turn to close a connection and returns the delay until then. */
  long takeTurn() {
    return turns.takeTurn();
  }

  /** Called when a connection is about to be closed. */
  void healed(HealedConnection healed) {
    LOGGER.warn("The connection to {} is closed and made anew: {}", healed.node(), healed.reason());
    synchronized (latest) {
      if (latest.size() == REMEMBERED) {
        latest.removeFirst();
      }
      latest.addLast(healed);
    }
    Counter counter = counters.get(healed.cause());
    if (counter != null) {
      counter.increment();
    }
    refreshTopology.run();
  }

  /** Notifies the listener, outside of event loops. */
  void tell(HealedConnection healed) {
    try {
      options.listener().accept(healed);
    } catch (RuntimeException e) {
      LOGGER.warn("The listener of healed connections failed on {}", healed, e);
    }
  }

  /**
   * Starts the suspicion on all other connections to the address of a node that is a replica now.
   */
  void replica(Healer told, String address, String reason) {
    for (Healer other : healers) {
      if (other != told) {
        other.replicaAt(address, reason);
      }
    }
  }

  void closed(Healer healer) {
    healers.remove(healer);
  }
}
