// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The properties {@code shop.*}. */
@ConfigurationProperties("shop")
record ShopProperties(RateLimit rateLimit, Cache cache) {

  ShopProperties {
    if (rateLimit == null || cache == null) {
      throw new IllegalArgumentException(
          "shop.rate-limit.visits, shop.rate-limit.window and shop.cache.time-to-live are needed");
    }
  }

  /**
   * The rate limit of one visitor.
   *
   * @param visits the most visits in a window
   * @param window in whole milliseconds, from the first visit
   */
  record RateLimit(int visits, Duration window) {

    RateLimit {
      if (visits < 1 || window == null || window.toMillis() < 1) {
        throw new IllegalArgumentException(
            "shop.rate-limit needs at least 1 visit and 1 ms, but has "
                + visits
                + " visits and "
                + window);
      }
    }
  }

  /**
   * How long products are kept in Redis.
   *
   * @param timeToLive in whole milliseconds
   */
  record Cache(Duration timeToLive) {

    Cache {
      if (timeToLive == null || timeToLive.toMillis() < 1) {
        throw new IllegalArgumentException(
            "shop.cache.time-to-live needs at least 1 ms, but is " + timeToLive);
      }
    }
  }
}
