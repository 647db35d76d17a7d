// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The security headers of the admin page and the values: browsers must store nothing, load and run
 * only the page's own files, and refuse access from other sites. Immutable.
 */
final class AdminHeaders {

  /** The part of the policy that a page can also declare in its own markup. */
  static final String META_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
          + " connect-src 'self'; base-uri 'none'; form-action 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          META_POLICY + "; frame-ancestors 'none'",
          "Cache-Control",
          "no-store",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cross-Origin-Opener-Policy",
          "same-origin");

  static final String FETCH_SITE = "Sec-Fetch-Site";
  private static final String CROSS_SITE = "cross-site";

  private final String pagePath;
  private final List<String> paths;

  /**
   * Creates the headers for two paths.
   *
   * @param basePath of all endpoints, without a trailing slash
   * @param pagePath the path of the page below it
   * @param valuePath the path of the values below it
   */
  AdminHeaders(String basePath, String pagePath, String valuePath) {
    this.pagePath = basePath + "/" + pagePath;
    this.paths = List.of(this.pagePath, basePath + "/" + valuePath);
  }

  /**
   * Returns whether a request is for the page or the values. Any prefix of the path is ignored: a
   * proxy's, the application's, or a servlet's.
   *
   * @param rawPath the encoded path as received
   */
  boolean concern(String rawPath) {
    String path = decoded(rawPath);
    return paths.stream().anyMatch(own -> holds(path, own));
  }

  private static boolean holds(String path, String own) {
    int at = path.indexOf(own);
    while (at >= 0) {
      int end = at + own.length();
      if (end == path.length() || path.charAt(end) == '/') {
        return true;
      }
      at = path.indexOf(own, at + 1);
    }
    return false;
  }

  /**
   * Returns whether another site makes the user's browser send this request, other than by a link
   * to the page.
   *
   * @param fetchSite the browser's Sec-Fetch-Site header; null without one
   */
  boolean refuse(String rawPath, @Nullable String fetchSite) {
    return CROSS_SITE.equalsIgnoreCase(fetchSite) && !decoded(rawPath).endsWith(pagePath);
  }

  /** Normalizes a path for matching: decoded, and without the parameters of its segments. */
  private static String decoded(String rawPath) {
    String path = rawPath.replaceAll(";[^/]*", "");
    try {
      return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return path;
    }
  }
}
