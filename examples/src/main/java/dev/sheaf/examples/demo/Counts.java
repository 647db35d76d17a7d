package dev.sheaf.examples.demo;

import org.jspecify.annotations.Nullable;

/**
 * What a server and the network before it have counted; null is what cannot be known.
 *
 * @param roundTrips turns between client and server, summed over connections and nodes
 * @param commands commands the server has run
 * @param bytes bytes of requests and replies
 */
record Counts(@Nullable Long roundTrips, @Nullable Long commands, @Nullable Long bytes) {

  static final Counts UNKNOWN = new Counts(null, null, null);

  Counts minus(Counts earlier) {
    return new Counts(
        difference(roundTrips, earlier.roundTrips),
        difference(commands, earlier.commands),
        difference(bytes, earlier.bytes));
  }

  Counts times(int factor) {
    return new Counts(
        product(roundTrips, factor), product(commands, factor), product(bytes, factor));
  }

  private static @Nullable Long product(@Nullable Long count, int factor) {
    return count == null ? null : Long.valueOf(count * factor);
  }

  private static @Nullable Long difference(@Nullable Long later, @Nullable Long earlier) {
    return later == null || earlier == null ? null : Long.valueOf(later - earlier);
  }
}
