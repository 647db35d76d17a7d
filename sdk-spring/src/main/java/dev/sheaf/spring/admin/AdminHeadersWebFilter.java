// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Adds the headers in WebFlux. Thread-safe. */
final class AdminHeadersWebFilter implements WebFilter, Ordered {

  private final AdminHeaders headers;

  AdminHeadersWebFilter(AdminHeaders headers) {
    this.headers = headers;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    String path = exchange.getRequest().getURI().getRawPath();
    if (path != null && headers.concern(path)) {
      HttpHeaders answer = exchange.getResponse().getHeaders();
      AdminHeaders.HEADERS.forEach(answer::set);
      String site = exchange.getRequest().getHeaders().getFirst(AdminHeaders.FETCH_SITE);
      if (headers.refuse(path, site)) {
        exchange.getResponse().setStatusCode(HttpStatus.FORBIDDEN);
        return exchange.getResponse().setComplete();
      }
    }
    return chain.filter(exchange);
  }

  /** Runs before all others, so that responses of Spring Security have the headers, too. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }
}
