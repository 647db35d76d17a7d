// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What browsers are told about the page and the values: to keep nothing, to run and load nothing
 * but the page's own files, and to let no other site in. Immutable.
 */
final class AdminHeaders {

  /** The part of the policy that a page may declare in itself, too. */
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
   * Makes the headers for two paths.
   *
   * @param basePath of all endpoints, without a slash at its end
   * @param pagePath the path of the page below it
   * @param valuePath the path of the values below it
   */
  AdminHeaders(String basePath, String pagePath, String valuePath) {
    this.pagePath = basePath + "/" + pagePath;
    this.paths = List.of(this.pagePath, basePath + "/" + valuePath);
  }

  /**
   * Whether a request is for the page or the values. What stands in front of the path does not
   * count: a proxy's prefix, the application's, that of a servlet.
   *
   * @param rawPath as it came, encoded
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
   * Whether another site makes the browser of a user ask for this, other than by a link to the
   * page.
   *
   * @param fetchSite what the browser says of it; null if it says nothing
   */
  boolean refuse(String rawPath, @Nullable String fetchSite) {
    return CROSS_SITE.equalsIgnoreCase(fetchSite) && !decoded(rawPath).endsWith(pagePath);
  }

  /** The path as it is matched: decoded, and without the parameters of its segments. */
  private static String decoded(String rawPath) {
    String path = rawPath.replaceAll(";[^/]*", "");
    try {
      return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return path;
    }
  }
}
