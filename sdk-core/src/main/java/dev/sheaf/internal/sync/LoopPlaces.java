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

/** The places in the code whose loops one client reads ahead, or learns. Thread-safe. */
public final class LoopPlaces {

  static final String READS_METER = "sheaf.loops.read.ahead";
  static final String STOPPED_METER = "sheaf.loops.read.ahead.stopped";

  /**
   * How many times in a second a thread may begin to have its calls followed while nothing is read
   * ahead anywhere: less than a hundredth of one processor.
   */
  static final int TURNS_PER_SECOND = 8;

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.loops");

  private final @Nullable LoopLearning options;

  /** In the order in which they were last seen. Guarded by itself. */
  private final Map<Place, LoopPlace> places =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, LoopPlace> eldest) {
          return size() > LoopSampler.MAX_SITES;
        }
      };

  private final PerSecond looks;
  private final PerSecond turns;

  /** What is read ahead anywhere. Written by those that hold the places. */
  private volatile Set<Shape> readAhead = Set.of();

  private final MeterRegistry registry;
  private final String client;

  /** What the keys are that are read. */
  private record Shape(AheadRead read, String keys) {}

  private static final Shape DECLARED = new Shape(AheadRead.GET, "");

  private record Place(long callSite, Shape shape) {}

  /**
   * Begins with nothing known.
   *
   * @param options how loops are learned; null if none are
   * @param client the client's name in the meters
   */
  public LoopPlaces(
      @Nullable LoopLearning options, @Nullable MeterRegistry registry, String client) {
    this(options, registry, client, System::nanoTime);
  }

  /** Begins with nothing known, and a clock of its own. */
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
      // There from the start. Where nothing is learned, the first declared loop brings them.
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

  /** Whether loops are learned that nobody declared. */
  public boolean learns() {
    return options != null;
  }

  /** How old a reply may be that is handed out to a learned loop. */
  Duration maxAge() {
    return learning().maxAge();
  }

  private LoopLearning learning() {
    return Objects.requireNonNull(options, "Nothing is learned");
  }

  /** The place of a declared loop that the current thread begins: the line alone. */
  LoopPlace declaredHere() {
    Place here = new Place(CallSite.nearestOfCurrentThread().fingerprint(), DECLARED);
    synchronized (places) {
      return places.computeIfAbsent(here, line -> new LoopPlace());
    }
  }

  /** Whether keys are read ahead anywhere. */
  boolean anyReadAhead() {
    return !readAhead.isEmpty();
  }

  /** Whether a thread may have some calls followed now, though nothing is read ahead anywhere. */
  boolean tryTurn() {
    return turns.tryTake();
  }

  /**
   * The place that the current thread is at, if its loops have keys of this source, and read ahead.
   * Looks at the stack only if such loops do somewhere.
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

  /** What is known of the place that the current thread is at; null if nobody may look now. */
  @Nullable LoopPlace placeOf(AheadRead read, KeySource source) {
    // Where loops are read ahead, a look saves round trips; where none is, there is no hurry.
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

  /** A place begins to read ahead, or stops. */
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

  /** A window is over, see {@link LoopPlace#windowClosed}. */
  void windowClosed(LoopPlace place, int read, int used, long bytes, boolean late) {
    reads("hit").increment(used);
    reads("vain").increment(read - used);
    if (place.windowClosed(read, used, bytes, late)) {
      note();
      stopped().increment();
      LOG.info(place.stopText());
    }
  }

  /** What the detector has found, with what was learned there, and what was learned elsewhere. */
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
