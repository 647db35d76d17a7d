// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.examples.shop.Catalogue.Page;
import dev.sheaf.examples.shop.Catalogue.Read;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Reads a page both ways, in turn, so that disturbances of the machine affect both. Thread-safe.
 */
@Component
class Comparison {

  /** The number of reads each way; the median is shown. */
  private static final int ROUNDS = 5;

  private final Catalogue catalogue;

  Comparison(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * A page, and its timings.
   *
   * @param first the page as it was read first, which the visitor gets
   * @param with the median with Sheaf, when Redis had all products
   * @param without the same with the connections of Spring Data alone
   */
  record Measured(Page first, Page with, Page without) {

    double factor() {
      return (double) without.micros() / with.micros();
    }

    /**
     * Counts the reads of a page that waited for Redis. Without Sheaf each does, so a read that
     * took less than half as long as those did not wait.
     */
    long roundTrips(Page page) {
      long usual = median(without.reads().stream().map(Measured::micros).sorted().toList());
      return page.reads().stream().filter(read -> micros(read) * 2 >= usual).count();
    }

    private static long micros(Read read) {
      return read.to() - read.from();
    }
  }

  private static <T> T median(List<T> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  /** Reads a page; both ways if Redis answers. */
  Measured of(int number) {
    Page first = catalogue.page(number, true);
    if (!first.redisAnswered()) {
      return new Measured(first, first, first);
    }
    catalogue.page(number, false); // After this, Redis has the products for both.
    List<Page> with = new ArrayList<>();
    List<Page> without = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      with.add(catalogue.page(number, true));
      without.add(catalogue.page(number, false));
    }
    with.sort(Comparator.comparingLong(Page::micros));
    without.sort(Comparator.comparingLong(Page::micros));
    return new Measured(first, median(with), median(without));
  }
}
