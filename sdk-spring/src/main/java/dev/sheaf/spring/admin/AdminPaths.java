// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;

/**
 * The paths of the page and the values, as the application has mapped them.
 *
 * @param base of all endpoints, without a trailing slash
 */
record AdminPaths(String base, String page, String values) {

  static AdminPaths of(WebEndpointProperties endpoints) {
    String base = endpoints.getBasePath();
    return new AdminPaths(
        base.endsWith("/") ? base.substring(0, base.length() - 1) : base,
        mapped(endpoints, SheafPageEndpoint.ID),
        mapped(endpoints, SheafValueEndpoint.ID));
  }

  private static String mapped(WebEndpointProperties endpoints, String id) {
    String path = endpoints.getPathMapping().getOrDefault(id, id);
    return path.startsWith("/") ? path.substring(1) : path;
  }
}
