package dev.sheaf.examples.demo;

/**
 * What one way of an experiment took: the median run, with the counts of that same run.
 *
 * @param factor what {@code meaning} says
 * @param runs how many runs the median is of
 */
record Measurement(
    String experiment,
    String way,
    String description,
    double millis,
    Counts counts,
    double factor,
    Meaning meaning,
    int runs) {

  /** What the factor is. */
  enum Meaning {
    /** How many times the naive way took this time; 1 for the naive way. */
    TIMES_FASTER,
    /** Which share of the answers came late, 0 to 1, over all runs. */
    LATE_SHARE,
    /** How many times the bytes of the naive way are those of this one; 1 for the naive way. */
    FEWER_BYTES
  }

  Measurement(
      String experiment,
      String way,
      String description,
      double millis,
      Counts counts,
      double factor,
      int runs) {
    this(experiment, way, description, millis, counts, factor, Meaning.TIMES_FASTER, runs);
  }

  /** The factor as people read it. */
  String shownFactor() {
    return switch (meaning) {
      case TIMES_FASTER -> Figures.factor(factor);
      case LATE_SHARE -> Figures.share(factor) + " late";
      case FEWER_BYTES -> Figures.factor(factor) + " fewer bytes";
    };
  }
}
