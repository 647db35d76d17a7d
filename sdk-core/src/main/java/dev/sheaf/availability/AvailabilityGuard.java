package dev.sheaf.availability;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.Counter;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The guards of all nodes, and what follows from them for Redis as a whole. All views that users
 * hold share one. Thread-safe.
 */
final class AvailabilityGuard<K> implements GuardContext {

  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(AvailabilityGuard.class);

  /** For how long a yes is given again without a look at the nodes; no node falls in between. */
  private static final Duration REPEAT = Duration.ofMillis(10);

  private final AvailabilityOptions options;
  private final WatchSettings settings;
  private final NodeSource<K> source;
  private final RedisClient client;
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  private final Executor notifier;
  private final AvailabilityMeters meters;
  private final long maxAgeNanos;
  private final List<AvailabilityListener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, NodeGuard> guards = new ConcurrentHashMap<>();
  private final Object lock = new Object();

  /** The nodes with their slots; replaced as a whole. */
  private volatile List<Watched> watched = List.of();

  private volatile AvailabilityStatus overall =
      new AvailabilityStatus(AvailabilityState.UP, "not asked yet", Instant.now(), null);

  /** Until when every caller with the default age is told yes; moves back when a node changes. */
  private volatile long yesUntil = System.nanoTime();

  private volatile int changes;
  private volatile @Nullable Counter yesCount;
  private volatile boolean anyDown;
  private volatile boolean closed;

  private record Watched(NodeGuard guard, NodeSource.Node node) {}

  private AvailabilityGuard(
      NodeSource<K> source, WatchSettings settings, RedisClient client, ClientResources resources) {
    this.options = settings.options();
    this.settings = settings;
    this.source = source;
    this.client = client;
    this.resources = resources;
    this.timer = settings.resources().eventExecutorGroup().next();
    this.notifier = settings.resources().eventExecutorGroup().next();
    this.meters = new AvailabilityMeters(settings.registry(), settings.clientName());
    this.maxAgeNanos = options.maxAge().toNanos();
    for (AvailabilityState state : AvailabilityState.values()) {
      meters.nodes(this, state, guard -> guard.count(state));
    }
  }

  /** Starts to watch; opens the connections without waiting for them. */
  static <K> AvailabilityGuard<K> start(NodeSource<K> source, WatchSettings settings) {
    ClientResources resources = GuardThreads.beside(settings.resources());
    RedisClient client = RedisClient.create(resources);
    client.setOptions(connectionOptions(settings.clientOptions(), settings.connectTimeout()));
    AvailabilityGuard<K> guard = new AvailabilityGuard<>(source, settings, client, resources);
    guard.syncNodes();
    if (source.isCluster()) {
      guard.schedule(guard::tick, settings.options().interval().toNanos());
    }
    return guard;
  }

  /** Nothing of Lettuce's own persistence: a PING that waits for a reconnect tells nothing. */
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
      // Whatever the client's view of the nodes is at odds with now, it may not be next time.
      schedule(this::tick, options.interval().toNanos());
    }
  }

  /** Follows the client's view of the nodes. */
  private void syncNodes() {
    List<NodeGuard> gone;
    synchronized (lock) {
      if (closed) {
        return;
      }
      List<Watched> now = new ArrayList<>();
      for (NodeSource.Node node : source.nodes()) {
        now.add(new Watched(guards.computeIfAbsent(node.name(), name -> newGuard(node)), node));
      }
      if (now.isEmpty()) {
        return;
      }
      List<NodeGuard> kept = now.stream().map(Watched::guard).toList();
      gone = guards.values().stream().filter(guard -> !kept.contains(guard)).toList();
      gone.forEach(guard -> guards.remove(guard.name()));
      watched = List.copyOf(now);
    }
    gone.forEach(NodeGuard::close);
    for (Watched each : watched) {
      if (!each.guard().hasData() && each.guard().isReachable()) {
        each.guard().attach(source.signsOf(each.node()));
      }
    }
    recompute();
  }

  private NodeGuard newGuard(NodeSource.Node node) {
    NodeGuard guard = new NodeGuard(node.name(), node.uri(), this);
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

  // ---- Answers

  /** The answer for callers with the default age, if it is yes and known without a look. */
  boolean isKnownUp() {
    if (System.nanoTime() - yesUntil >= 0) {
      return false;
    }
    Counter count = yesCount;
    if (count != null) {
      count.increment();
    }
    return true;
  }

  /** Whether Redis as a whole can be used, asked of the nodes if need be. */
  boolean isAvailable(long maxAge, Duration timeout) {
    int seen = changes;
    long now = System.nanoTime();
    List<Watched> nodes = watched;
    if (nodes.size() == 1) {
      return isAvailable(nodes.get(0).guard(), maxAge, timeout, seen);
    }
    Tally tally = new Tally(now, maxAge);
    if (tally.stale.isEmpty() || tally.isDecided()) {
      meters.answered(tally.source);
      boolean yes = tally.isYes();
      if (yes && maxAge == maxAgeNanos) {
        repeat(now, seen, tally.source);
      }
      return yes;
    }
    return ask(tally.stale, maxAge, timeout)
        && new Tally(System.nanoTime(), Long.MAX_VALUE).isYes();
  }

  private void repeat(long now, int seen, AvailabilityMeters.Source source) {
    synchronized (lock) {
      if (changes == seen && !closed) {
        yesCount = meters.answers(source);
        yesUntil = now + Math.min(REPEAT.toNanos(), maxAgeNanos);
      }
    }
  }

  /** The same of the only node, without allocation. */
  private boolean isAvailable(NodeGuard guard, long maxAge, Duration timeout, int seen) {
    long now = System.nanoTime();
    NodeGuard.Verdict verdict = guard.verdict(now, maxAge);
    boolean yes = answer(guard, verdict, maxAge, timeout);
    if (yes && verdict != NodeGuard.Verdict.STALE && maxAge == maxAgeNanos) {
      repeat(now, seen, source(verdict));
    }
    return yes;
  }

  /** Whether one node can be used. */
  boolean isAvailable(NodeGuard guard, long maxAge, Duration timeout) {
    return answer(guard, guard.verdict(System.nanoTime(), maxAge), maxAge, timeout);
  }

  private static AvailabilityMeters.Source source(NodeGuard.Verdict verdict) {
    return verdict == NodeGuard.Verdict.TRAFFIC
        ? AvailabilityMeters.Source.TRAFFIC
        : AvailabilityMeters.Source.CACHED;
  }

  private boolean answer(
      NodeGuard guard, NodeGuard.Verdict verdict, long maxAge, Duration timeout) {
    if (verdict == NodeGuard.Verdict.STALE) {
      return ask(List.of(guard), maxAge, timeout) && guard.state() == AvailabilityState.UP;
    }
    meters.answered(source(verdict));
    return verdict != NodeGuard.Verdict.NO;
  }

  /** Whether nothing speaks against the node of a key; never waits. */
  boolean mayUse(K key) {
    NodeGuard guard = guardOf(key);
    return guard == null
        || guard.verdict(System.nanoTime(), Long.MAX_VALUE) != NodeGuard.Verdict.NO;
  }

  /** Waits for the nodes' answers; whether one was good. */
  private boolean ask(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings = new ArrayList<>(nodes.size());
    for (NodeGuard node : nodes) {
      pings.add(node.ping(maxAge, timeout));
    }
    meters.answered(AvailabilityMeters.Source.PING);
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      return true;
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean answered = false;
    try {
      for (CompletableFuture<Duration> ping : pings) {
        answered |= await(ping, deadline);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return answered;
  }

  private static boolean await(CompletableFuture<Duration> ping, long deadline)
      throws InterruptedException {
    try {
      ping.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** The longest round trip to these nodes, in a future of the caller's own. */
  CompletableFuture<Duration> ping(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings = new ArrayList<>(nodes.size());
    for (NodeGuard node : nodes) {
      Duration recent = maxAge == 0 ? null : node.recentRoundTrip(maxAge);
      pings.add(
          recent == null ? node.ping(maxAge, timeout) : CompletableFuture.completedFuture(recent));
    }
    if (pings.size() == 1) {
      return pings.get(0);
    }
    CompletableFuture<Duration> longest = new CompletableFuture<>();
    CompletableFuture.allOf(pings.toArray(CompletableFuture[]::new))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                longest.complete(
                    pings.stream().map(CompletableFuture::join).max(Duration::compareTo).get());
              } else {
                longest.completeExceptionally(cause(failure));
              }
            });
    return longest;
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  /** Waits for a PING as blocking commands wait. */
  Duration await(CompletableFuture<Duration> ping, Duration timeout) {
    try {
      return ping.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (TimeoutException e) {
      throw new UnavailableException(
          "No answer to PING within "
              + timeout.toMillis()
              + " ms; AvailabilityOptions.timeout or withTimeout sets the limit");
    } catch (ExecutionException e) {
      // A new one, so that its stack is that of the waiting thread.
      throw new UnavailableException(String.valueOf(cause(e).getMessage()), cause(e));
    }
  }

  static void requireMayBlock() {
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      throw new IllegalStateException(
          "ping() would block "
              + Thread.currentThread().getName()
              + ", a thread of Netty that must read the answer itself; use pingAsync()");
    }
  }

  List<NodeGuard> guards() {
    return watched.stream().map(Watched::guard).toList();
  }

  /** What the nodes say together. */
  private final class Tally {

    final List<NodeGuard> stale = new ArrayList<>(0);
    AvailabilityMeters.Source source = AvailabilityMeters.Source.CACHED;
    private int slots;
    private int yes;
    private int no;

    Tally(long now, long maxAge) {
      for (Watched each : watched) {
        int weight = each.node().slots();
        slots += weight;
        switch (each.guard().verdict(now, maxAge)) {
          case TRAFFIC -> {
            yes += weight;
            source = AvailabilityMeters.Source.TRAFFIC;
          }
          case CACHED -> yes += weight;
          case NO -> no += weight;
          case STALE -> stale.add(each.guard());
        }
      }
    }

    boolean isYes() {
      return 2 * yes > slots;
    }

    boolean isDecided() {
      return isYes() || 2 * no >= slots;
    }
  }

  // ---- The whole

  AvailabilityStatus status() {
    // Whoever looks wants to know as much as whoever asks.
    guards().forEach(guard -> guard.verdict(System.nanoTime(), Long.MAX_VALUE));
    AvailabilityStatus known = overall;
    Duration longest = null;
    for (Watched each : watched) {
      Duration roundTrip = each.guard().status().roundTrip();
      if (roundTrip != null && (longest == null || roundTrip.compareTo(longest) > 0)) {
        longest = roundTrip;
      }
    }
    return new AvailabilityStatus(known.state(), known.reason(), known.since(), longest);
  }

  Map<String, AvailabilityStatus> nodes() {
    Map<String, AvailabilityStatus> nodes = new LinkedHashMap<>();
    for (Watched each : watched) {
      nodes.put(each.guard().name(), each.guard().status());
    }
    return Collections.unmodifiableMap(nodes);
  }

  private int count(AvailabilityState state) {
    int count = 0;
    for (Watched each : watched) {
      if (each.guard().state() == state) {
        count++;
      }
    }
    return count;
  }

  private void recompute() {
    boolean nodeFell = false;
    synchronized (lock) {
      changes++;
      yesUntil = System.nanoTime();
      List<Watched> nodes = watched;
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
      become(state, reason(nodes));
    }
    if (nodeFell && source.isCluster()) {
      source.refresh();
      guards().forEach(NodeGuard::suspect);
    }
  }

  private static String reason(List<Watched> nodes) {
    if (nodes.size() == 1) {
      return nodes.get(0).guard().status().reason();
    }
    List<String> unwell = new ArrayList<>();
    for (Watched each : nodes) {
      AvailabilityStatus status = each.guard().status();
      if (status.state() != AvailabilityState.UP) {
        unwell.add(each.guard().name() + " is " + status.state() + ": " + status.reason());
      }
    }
    return unwell.isEmpty()
        ? "all " + nodes.size() + " nodes are UP"
        : unwell.size() + " of " + nodes.size() + " nodes are not UP; " + unwell.get(0);
  }

  private void become(AvailabilityState state, String reason) {
    AvailabilityStatus before = overall;
    boolean same = before.state() == state;
    AvailabilityStatus after =
        new AvailabilityStatus(state, reason, same ? before.since() : Instant.now(), null);
    overall = after;
    if (!same) {
      tell(new AvailabilityChange(null, before, after));
    }
  }

  Availability.Registration onChange(AvailabilityListener listener) {
    // Wrapped, so that one that was added twice goes once with each registration.
    AvailabilityListener mine = Objects.requireNonNull(listener, "listener")::changed;
    listeners.add(mine);
    return () -> listeners.remove(mine);
  }

  private void tell(AvailabilityChange change) {
    try {
      notifier.execute(() -> listeners.forEach(listener -> tell(listener, change)));
    } catch (RejectedExecutionException shutDown) {
      LOGGER.debug("Nobody is told of {}: the client is shut down", change);
    }
  }

  private static void tell(AvailabilityListener listener, AvailabilityChange change) {
    try {
      listener.changed(change);
    } catch (RuntimeException e) {
      LOGGER.warn("An availability listener failed on " + change, e);
    }
  }

  // ---- For the guards of nodes

  @Override
  public AvailabilityOptions options() {
    return options;
  }

  @Override
  public RedisClient client() {
    return client;
  }

  @Override
  public ScheduledExecutorService timer() {
    return timer;
  }

  @Override
  public String explain(Throwable failure) {
    return settings.explain().apply(failure, options.downAfter());
  }

  @Override
  public Spread newSpread() {
    return new Spread(
        options.interval(), options.jitter(), () -> ThreadLocalRandom.current().nextLong());
  }

  @Override
  public AvailabilityMeters meters() {
    return meters;
  }

  @Override
  public boolean checksCluster() {
    return anyDown && source.isCluster();
  }

  @Override
  public boolean schedule(Runnable task, long delayNanos) {
    try {
      timer.schedule(() -> run(task), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOGGER.warn("The availability guard failed", e);
    }
  }

  @Override
  public void changed(NodeGuard node) {
    recompute();
  }

  @Override
  public void changed(NodeGuard node, AvailabilityStatus before, AvailabilityStatus after) {
    tell(new AvailabilityChange(node.name(), before, after));
  }

  void close() {
    Collection<NodeGuard> all;
    synchronized (lock) {
      closed = true;
      yesUntil = System.nanoTime();
      changes++;
      all = List.copyOf(guards.values());
    }
    all.forEach(NodeGuard::stop);
    meters.close();
    listeners.clear();
    client.shutdown(Duration.ZERO, settings.closeTimeout());
    // Nothing is left of its own; Lettuce warns of resources that were not shut down.
    resources.shutdown();
  }
}
