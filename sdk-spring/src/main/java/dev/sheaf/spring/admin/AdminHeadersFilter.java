// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Adds the headers in a servlet container. Thread-safe. */
final class AdminHeadersFilter implements Filter {

  private final AdminHeaders headers;

  AdminHeadersFilter(AdminHeaders headers) {
    this.headers = headers;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse answer
        && headers.concern(http.getRequestURI())) {
      AdminHeaders.HEADERS.forEach(answer::setHeader);
      if (headers.refuse(http.getRequestURI(), http.getHeader(AdminHeaders.FETCH_SITE))) {
        answer.setStatus(HttpServletResponse.SC_FORBIDDEN);
        return;
      }
    }
    chain.doFilter(request, response);
  }
}
