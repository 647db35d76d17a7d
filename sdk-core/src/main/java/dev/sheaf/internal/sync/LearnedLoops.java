package dev.sheaf.internal.sync;

import dev.sheaf.LoopLearning;
import dev.sheaf.LoopReport;
import dev.sheaf.internal.keys.KeyReads;
import dev.sheaf.internal.sync.KeySource.Repeated;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the loops of one client that nobody declared have in common: the places that were learned,
 * the lists of keys that are remembered, and the windows that hold values.
 *
 * <p>Thread-safe.
 */
public final class LearnedLoops<K, V> {

  static final String READS_METER = "sheaf.loops.read.ahead";
  static final String STOPPED_METER = "sheaf.loops.read.ahead.stopped";

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.loops");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  private final KeyLoops<K, V> loops;
  private final LoopLearning options;
  private final ThreadLocal<FollowedCalls<K>> calls =
      ThreadLocal.withInitial(() -> new FollowedCalls<>(this));

  /** In the order in which they were last seen. Guarded by itself. */
  private final Map<Place, LearnedPlace> places =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, LearnedPlace> eldest) {
          return size() > options.maxPlaces();
        }
      };

  // Guarded by the places.
  private long looksSinceNanos = System.nanoTime();
  private int looks;

  /** By command and first keys. */
  private final ConcurrentMap<Fingerprint, Repeated> lists = new ConcurrentHashMap<>();

  /** In the order in which they were remembered. Guarded by itself. */
  private final Deque<Fingerprint> listOrder = new ArrayDeque<>();

  private final Set<LearnedWindow<K>> open = ConcurrentHashMap.newKeySet();

  /** How many places have begun to read ahead. */
  private final AtomicInteger readingAhead = new AtomicInteger();

  private final @Nullable Counter hits;
  private final @Nullable Counter vain;
  private final @Nullable Counter stopped;

  private record Place(long callSite, AheadRead read, String source) {}

  private record Fingerprint(AheadRead read, List<String> keys) {}

  /**
   * Begins with nothing learned.
   *
   * @param client the client's name in the meters
   */
  public LearnedLoops(
      KeyLoops<K, V> loops,
      LoopLearning options,
      @Nullable MeterRegistry registry,
      String client) {
    this.loops = loops;
    this.options = options;
    this.hits = registry == null ? null : reads(registry, client, "hit");
    this.vain = registry == null ? null : reads(registry, client, "vain");
    this.stopped =
        registry == null
            ? null
            : Counter.builder(STOPPED_METER)
                .description("Places where loops are not read ahead any more")
                .tag("client", client)
                .register(registry);
  }

  private static Counter reads(MeterRegistry registry, String client, String outcome) {
    return Counter.builder(READS_METER)
        .description("Reads that were made ahead for loops that were learned")
        .tag("client", client)
        .tag("outcome", outcome)
        .register(registry);
  }

  LoopLearning options() {
    return options;
  }

  /** The calls of the current thread. */
  FollowedCalls<K> ofThread() {
    return calls.get();
  }

  /** The current thread reads by other ways than its blocking commands, and may see later values. */
  public void readElsewhere() {
    ofThread().dropAll();
  }

  /** What is known of the place that the current thread is at; null if nobody may look now. */
  @Nullable LearnedPlace placeOf(AheadRead read, KeySource source) {
    if (readingAhead.get() == 0 && !mayLook()) {
      return null;
    }
    CallSite site = CallSite.ofCurrentThread();
    if (site.isEmpty()) {
      return null;
    }
    String keys = shape(source.prefix()) + "*" + shape(source.suffix()) + " with " + source.kind();
    Place key = new Place(site.fingerprint(), read, keys);
    synchronized (places) {
      LearnedPlace known = places.get(key);
      if (known == null) {
        known = new LearnedPlace(site.describe(), read.name(), keys, options);
        places.put(key, known);
      }
      return known;
    }
  }

  /** Without numbers, in which the keys of one place often differ. */
  private static String shape(String part) {
    return NUMBER.matcher(part).replaceAll("#");
  }

  private boolean mayLook() {
    synchronized (places) {
      long now = System.nanoTime();
      if (now - looksSinceNanos > TimeUnit.SECONDS.toNanos(1)) {
        looksSinceNanos = now;
        looks = 0;
      }
      return looks++ < LoopSampler.MAX_LOOKS_PER_SECOND;
    }
  }

  /** A loop is over, see {@link LearnedPlace#ended}. */
  void ended(LearnedPlace place, int reads, int span, boolean toTheEnd, boolean shuffled) {
    if (place.ended(reads, span, toTheEnd, shuffled)) {
      readingAhead.incrementAndGet();
    }
  }

  /** The keys of an earlier loop that began with these; null if none is remembered. */
  @Nullable Repeated repeated(AheadRead read, String[] first) {
    return lists.isEmpty() ? null : lists.get(new Fingerprint(read, List.of(first)));
  }

  void remember(AheadRead read, Repeated keys) {
    Fingerprint first =
        new Fingerprint(read, List.copyOf(keys.keys().subList(0, FollowedCalls.FINGERPRINT_KEYS)));
    if (options.maxLists() > 0 && lists.put(first, keys) == null) {
      synchronized (listOrder) {
        listOrder.add(first);
        if (listOrder.size() > options.maxLists()) {
          lists.remove(listOrder.remove());
        }
      }
    }
  }

  /**
   * Opens a window for the current thread.
   *
   * @return null if there are as many as there may be
   */
  @SuppressWarnings("unchecked") // The keys have the form of one that was given.
  @Nullable LearnedWindow<K> open(
      AheadRead read,
      @Nullable Object rest,
      List<String> texts,
      KeyForm form,
      LearnedPlace place,
      long number) {
    for (LearnedWindow<K> other : open) {
      if (other.isTooOld()) {
        other.close();
      }
    }
    if (open.size() >= options.maxWindows()) {
      return null;
    }
    List<@Nullable K> keys = new ArrayList<>(texts.size());
    texts.forEach(text -> keys.add((K) form.key(text)));
    LearnedWindow<K> window =
        new LearnedWindow<>(
            new LoopWindow<>(
                loops,
                keys,
                wanted -> (KeyReads<Object>) read.reads(loops.reads(), wanted, rest),
                options.maxAge()),
            texts,
            place,
            number,
            this::closed);
    open.add(window);
    loops.writes().join();
    return window;
  }

  private void closed(LearnedWindow<K> window) {
    open.remove(window);
    loops.writes().leave();
    int used = window.usedValues();
    int read = window.fetchedKeys();
    if (hits != null && vain != null) {
      hits.increment(used);
      vain.increment(read - used);
    }
    LearnedPlace place = window.place();
    if (place.windowClosed(read, used, window.bytesPerKey(), window.isTooOld())) {
      readingAhead.decrementAndGet();
      if (stopped != null) {
        stopped.increment();
      }
      LOG.info(place.stopText());
    }
  }

  /** What the detector has found, with what was learned there, and what was learned elsewhere. */
  public List<LoopReport> addTo(List<LoopReport> found) {
    List<LearnedPlace> known;
    synchronized (places) {
      known = new ArrayList<>(places.values());
    }
    List<LoopReport> reports = new ArrayList<>();
    for (LoopReport report : found) {
      LearnedPlace here = null;
      for (LearnedPlace place : known) {
        if (place.command().equals(report.command())
            && place.frames().get(0).equals(report.callSite())
            && place.frames().subList(1, place.frames().size()).equals(report.callers())) {
          here = place;
        }
      }
      known.remove(here);
      reports.add(here == null ? report : report.with(here.learned()));
    }
    known.forEach(place -> reports.add(place.report()));
    return List.copyOf(reports);
  }
}
