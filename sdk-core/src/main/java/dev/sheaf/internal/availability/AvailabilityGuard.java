// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityChange;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.common.Timer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The availability guard of a client: the guards of all nodes, and the status of Redis as a whole
 * that follows from them. Shared by all views that users hold. Thread-safe.
 */
final class AvailabilityGuard<K> {

  /** How long closing waits for connections that are being opened. */
  private static final int ATTEMPTS_END_MILLIS = 100;

  private final AvailabilityOptions options;
  private final WatchSettings settings;
  private final NodeSource<K> source;
  private final RedisClient client;
  private final ClientResources resources;
  private final Timer timer;
  private final OverallStatus overall;
  private final AvailabilityMeters meters;
  private final GuardContext context;
  private final Map<String, NodeGuard> guards = new ConcurrentHashMap<>();
  private final Object lock = new Object();

  /** The nodes with their slots; replaced as a whole. */
  private volatile List<NodeGuard> watched = List.of();

  private volatile boolean anyDown;
  private volatile boolean closed;

  private AvailabilityGuard(
      NodeSource<K> source, WatchSettings settings, RedisClient client, ClientResources resources) {
    this.options = settings.options();
    this.settings = settings;
    this.source = source;
    this.client = client;
    this.resources = resources;
    EventExecutor thread = ClientThreads.of(settings.resources()).next();
    this.timer = Timer.on(() -> thread);
    this.overall = new OverallStatus(ClientThreads.of(settings.resources()).next());
    this.meters = new AvailabilityMeters(settings.registry(), settings.clientName());
    this.context =
        new GuardContext(
            settings,
            client,
            timer,
            meters,
            overall::tell,
            this::recompute,
            () -> anyDown && source.isCluster());
    meters.nodes(this, AvailabilityGuard::count);
  }

  /** Starts watching. Opens connections without waiting for them. */
  static <K> AvailabilityGuard<K> start(NodeSource<K> source, WatchSettings settings) {
    ClientResources resources = GuardThreads.beside(settings.resources());
    RedisClient client = RedisClient.create(resources);
    client.setOptions(connectionOptions(settings.clientOptions(), settings.connectTimeout()));
    AvailabilityGuard<K> guard = new AvailabilityGuard<>(source, settings, client, resources);
    guard.syncNodes();
    if (source.isCluster()) {
      guard.timer.after(guard::tick, settings.options().interval().toNanos());
    }
    return guard;
  }

  /** Without Lettuce's reconnects: a PING that waits for a reconnect tells nothing. */
  private static ClientOptions connectionOptions(
      @Nullable ClientOptions given, Duration connectTimeout) {
    ClientOptions base = given == null ? ClientOptions.create() : given;
    SocketOptions socket =
        given == null
            ? SocketOptions.builder().connectTimeout(connectTimeout).build()
            : given.getSocketOptions();
    return base.mutate()
        .autoReconnect(false)
        .socketOptions(socket)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
        .build();
  }

  // ---- The nodes

  private void tick() {
    if (closed) {
      return;
    }
    try {
      if (anyDown) {
        source.refresh();
      }
      syncNodes();
    } finally {
      // Also after a failure, to try again.
      timer.after(this::tick, options.interval().toNanos());
    }
  }

  /** Updates the node guards to the client's view of the nodes. */
  private void syncNodes() {
    List<NodeGuard> gone;
    synchronized (lock) {
      if (closed) {
        return;
      }
      List<NodeGuard> now = new ArrayList<>();
      for (NodeSource.Node node : source.nodes()) {
        NodeGuard guard = guards.computeIfAbsent(node.name(), name -> newGuard(node));
        guard.node(node);
        now.add(guard);
      }
      if (now.isEmpty()) {
        return;
      }
      gone = guards.values().stream().filter(guard -> !now.contains(guard)).toList();
      guards.values().removeAll(gone);
      watched = List.copyOf(now);
    }
    gone.forEach(NodeGuard::close);
    for (NodeGuard guard : watched) {
      if (!guard.hasData() && guard.isReachable()) {
        guard.attach(source.signsOf(guard.node()));
      }
    }
    recompute();
  }

  private NodeGuard newGuard(NodeSource.Node node) {
    NodeGuard guard = new NodeGuard(node, context);
    if (!source.isCluster()) {
      guard.attach(source.signsOf(node));
    }
    guard.start();
    return guard;
  }

  /** The guard of a key's node, or null if no node serves it. */
  @Nullable NodeGuard guardOf(K key) {
    String name = source.nodeOf(key);
    if (name == null) {
      return null;
    }
    NodeGuard guard = guards.get(name);
    if (guard == null) {
      syncNodes();
      guard = guards.get(name);
    }
    return guard;
  }

  List<NodeGuard> guards() {
    return watched;
  }

  // ---- The whole

  AvailabilityStatus status() {
    // Like a question, reading old knowledge triggers a PING.
    guards().forEach(guard -> guard.verdict(System.nanoTime(), Long.MAX_VALUE));
    AvailabilityStatus known = overall.status();
    Duration longest = null;
    for (NodeGuard each : watched) {
      Duration roundTrip = each.status().roundTrip();
      if (roundTrip != null && (longest == null || roundTrip.compareTo(longest) > 0)) {
        longest = roundTrip;
      }
    }
    return new AvailabilityStatus(known.state(), known.reason(), known.since(), longest);
  }

  Map<String, AvailabilityStatus> nodes() {
    Map<String, AvailabilityStatus> nodes = new LinkedHashMap<>();
    for (NodeGuard each : watched) {
      nodes.put(each.name(), each.status());
    }
    return Collections.unmodifiableMap(nodes);
  }

  int count(AvailabilityState state) {
    int count = 0;
    for (NodeGuard each : watched) {
      if (each.state() == state) {
        count++;
      }
    }
    return count;
  }

  /** Updates the overall status after a node has changed. */
  private void recompute() {
    boolean nodeFell;
    synchronized (lock) {
      List<NodeGuard> nodes = watched;
      if (closed || nodes.isEmpty()) {
        return;
      }
      int up = count(AvailabilityState.UP);
      int down = count(AvailabilityState.DOWN);
      nodeFell = down > 0 && !anyDown;
      anyDown = down > 0;
      AvailabilityState state =
          up == nodes.size()
              ? AvailabilityState.UP
              : down == nodes.size() ? AvailabilityState.DOWN : AvailabilityState.SLOW;
      overall.become(state, reason(nodes));
    }
    if (nodeFell && source.isCluster()) {
      source.refresh();
      guards().forEach(NodeGuard::suspect);
    }
  }

  private static String reason(List<NodeGuard> nodes) {
    if (nodes.size() == 1) {
      return nodes.get(0).status().reason();
    }
    List<String> unwell = new ArrayList<>();
    for (NodeGuard each : nodes) {
      AvailabilityStatus status = each.status();
      if (status.state() != AvailabilityState.UP) {
        unwell.add(each.name() + " is " + status.state() + ": " + status.reason());
      }
    }
    return unwell.isEmpty()
        ? "all " + nodes.size() + " nodes are UP"
        : unwell.size() + " of " + nodes.size() + " nodes are not UP; " + unwell.get(0);
  }

  Availability.Registration onChange(Consumer<AvailabilityChange> listener) {
    return overall.onChange(listener);
  }

  AvailabilityOptions options() {
    return options;
  }

  void close() {
    Collection<NodeGuard> all;
    synchronized (lock) {
      closed = true;
      all = List.copyOf(guards.values());
    }
    awaitAttempts(all.stream().map(NodeGuard::stop).toList());
    meters.close(this);
    overall.close();
    client.shutdown(Duration.ZERO, settings.closeTimeout());
    // They own nothing any more, but Lettuce warns of resources that were not shut down.
    resources.shutdown();
  }

  /**
   * Waits briefly for attempts to connect. An event loop that ends closes its channels, but not one
   * that is just registering. An attempt that waits for a silent host has registered long ago.
   */
  private static void awaitAttempts(List<? extends CompletableFuture<?>> attempts) {
    try {
      CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new))
          .get(ATTEMPTS_END_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // They end with the event loop.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
