// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import dev.sheaf.internal.common.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The places in the code whose loops a client reads ahead or learns. Thread-safe. */
public final class LoopPlaces {

  static final String READS_METER = "sheaf.loops.read.ahead";
  static final String STOPPED_METER = "sheaf.loops.read.ahead.stopped";

  /**
   * How many times a second threads can start a turn of followed calls while no place reads ahead:
   * less than a hundredth of one processor.
   */
  static final int TURNS_PER_SECOND = 8;

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.loops");

  private final @Nullable LoopLearning options;

  /** In the order of their last use. Guarded by itself. */
  private final Map<Place, LoopPlace> places =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, LoopPlace> eldest) {
          return size() > LoopSampler.MAX_SITES;
        }
      };

  private final PerSecond looks;
  private final PerSecond turns;

  /** The key descriptions of all places that read ahead. Written by holders of the places' lock. */
  private volatile Set<Shape> readAhead = Set.of();

  private final MeterRegistry registry;
  private final String client;

  /** Returns the key descriptions that are read ahead. */
  private record Shape(AheadRead read, String keys) {}

  private static final Shape DECLARED = new Shape(AheadRead.GET, "");

  private record Place(long callSite, Shape shape) {}

  /**
   * Creates an object without places.
   *
   * @param options how loops are learned; null if they are not
   * @param client the client's name in its meters
   */
  public LoopPlaces(
      @Nullable LoopLearning options, @Nullable MeterRegistry registry, String client) {
    this(options, registry, client, System::nanoTime);
  }

  /** As above, with another clock. */
  LoopPlaces(
      @Nullable LoopLearning options,
      @Nullable MeterRegistry given,
      String client,
      LongSupplier nanoTime) {
    this.registry = Meters.in(given);
    this.client = client;
    this.options = options;
    this.looks = new PerSecond(CallSite.MAX_LOOKS_PER_SECOND, nanoTime);
    this.turns = new PerSecond(TURNS_PER_SECOND, nanoTime);
    if (options != null) {
      // Registered from the start if loops are learned, otherwise at the first declared loop.
      reads("hit");
      reads("vain");
      stopped();
    }
  }

  private Counter reads(String outcome) {
    return Counter.builder(READS_METER)
        .description("Reads that were made ahead for loops")
        .tag("client", client)
        .tag("outcome", outcome)
        .register(registry);
  }

  private Counter stopped() {
    return Counter.builder(STOPPED_METER)
        .description("Places where loops are not read ahead any more")
        .tag("client", client)
        .register(registry);
  }

  /** Returns whether undeclared loops are learned. */
  public boolean learns() {
    return options != null;
  }

  /** Returns the maximum age of a reply that is handed out to a learned loop. */
  Duration maxAge() {
    return learning().maxAge();
  }

  private LoopLearning learning() {
    return Objects.requireNonNull(options, "Nothing is learned");
  }

  /** Returns the place of a declared loop that the current thread starts: its line alone. */
  LoopPlace declaredHere() {
    Place here = new Place(CallSite.nearestOfCurrentThread().fingerprint(), DECLARED);
    synchronized (places) {
      return places.computeIfAbsent(here, line -> new LoopPlace());
    }
  }

  /** Returns whether any place reads ahead. */
  boolean anyReadAhead() {
    return !readAhead.isEmpty();
  }

  /** Returns whether a thread can start a turn of followed calls while no place reads ahead. */
  boolean tryTurn() {
    return turns.tryTake();
  }

  /**
   * Returns the current thread's place if loops with this source read ahead there. Walks the stack
   * only if such loops exist at some place.
   */
  @Nullable LoopPlace readingAheadHere(AheadRead read, KeySource source) {
    Shape shape = new Shape(read, source.shape());
    if (!readAhead.contains(shape)) {
      return null;
    }
    LoopPlace known;
    Place here = new Place(CallSite.ofCurrentThread().fingerprint(), shape);
    synchronized (places) {
      known = places.get(here);
    }
    return known != null && known.isReadingAhead() ? known : null;
  }

  /**
   * Returns the state of the current thread's place; null if the rate limit allows no stack walk
   * now.
   */
  @Nullable LoopPlace placeOf(AheadRead read, KeySource source) {
    // Where loops read ahead, a stack walk saves round trips; otherwise there is no hurry.
    if (!anyReadAhead() && !looks.tryTake()) {
      return null;
    }
    CallSite site = CallSite.ofCurrentThread();
    if (site.isEmpty()) {
      return null;
    }
    Shape shape = new Shape(read, source.shape());
    Place key = new Place(site.fingerprint(), shape);
    synchronized (places) {
      LoopPlace known = places.get(key);
      if (known == null) {
        known =
            new LoopPlace(
                site.describe(),
                read.name(),
                shape.keys(),
                learning().maxVainPercent(),
                this::note);
        places.put(key, known);
      }
      return known;
    }
  }

  /** Called when a place starts or stops reading ahead. */
  private void note() {
    synchronized (places) {
      Set<Shape> shapes = new HashSet<>();
      places.forEach(
          (at, place) -> {
            if (!place.isDeclared() && place.isReadingAhead()) {
              shapes.add(at.shape());
            }
          });
      readAhead = Set.copyOf(shapes);
    }
  }

  /** Called when a window has ended; see {@link LoopPlace#windowClosed}. */
  void windowClosed(LoopPlace place, int read, int used, long bytes, boolean late) {
    reads("hit").increment(used);
    reads("vain").increment(read - used);
    if (place.windowClosed(read, used, bytes, late)) {
      note();
      stopped().increment();
      LOG.info(place.stopText());
    }
  }

  /**
   * Returns the detector's reports with what was learned at their places, and what was learned
   * elsewhere.
   */
  public List<LoopReport> addTo(List<LoopReport> found) {
    List<LoopPlace> known;
    synchronized (places) {
      known = new ArrayList<>(places.values());
    }
    known.removeIf(LoopPlace::isDeclared);
    List<LoopReport> reports = new ArrayList<>();
    for (LoopReport report : found) {
      LoopPlace here = null;
      for (LoopPlace place : known) {
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
