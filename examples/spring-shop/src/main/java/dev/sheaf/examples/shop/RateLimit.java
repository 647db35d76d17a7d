// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.Sheaf;
import io.lettuce.core.RedisException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Limits the rate of each visitor. While Redis cannot count, all are admitted: a closed shop is
 * worse than too many visits. Thread-safe.
 */
@Component
class RateLimit implements HandlerInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(RateLimit.class);

  private final Visits visits;
  private final Sheaf<String, String> sheaf;
  private final ShopProperties.RateLimit limit;

  RateLimit(Visits visits, Sheaf<String, String> sheaf, ShopProperties properties) {
    this.visits = visits;
    this.sheaf = sheaf;
    this.limit = properties.rateLimit();
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    long waitMillis = waitMillis("visits:" + request.getRemoteAddr());
    if (waitMillis <= 0) {
      return true;
    }
    long seconds = (waitMillis + 999) / 1_000;
    response.setStatus(HttpStatus.TOO_MANY_REQUESTS.value());
    response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    response.setContentType(MediaType.TEXT_PLAIN_VALUE);
    response.setCharacterEncoding(StandardCharsets.UTF_8.name());
    response
        .getWriter()
        .write(
            "Too many pages: at most "
                + limit.visits()
                + " in "
                + limit.window().toMillis()
                + " ms (shop.rate-limit). Try again in "
                + seconds
                + " s.\n");
    return false;
  }

  private long waitMillis(String visitor) {
    try {
      return sheaf.availability().isAvailable()
          ? visits.visit(visitor, limit.visits(), limit.window().toMillis())
          : 0;
    } catch (RedisException | IllegalStateException e) {
      LOG.warn("Visits are not counted: {}", e.getMessage());
      return 0;
    }
  }
}
