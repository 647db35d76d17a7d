package dev.sheaf.internal.connect;

import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads server URIs as Lettuce does, but says what is wrong with one, and ignores nothing. */
public final class ServerUris {

  private static final Set<String> SCHEMES =
      Set.of(
          "redis",
          "rediss",
          "redis+ssl",
          "redis+tls",
          "redis-sentinel",
          "rediss-sentinel",
          "redis-socket",
          "redis+socket");

  private static final List<String> PARAMETERS =
      List.of(
          "timeout",
          "database",
          "db",
          "clientName",
          "libraryName",
          "libraryVersion",
          "verifyPeer",
          "sentinelMasterId");

  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\[\\]:,\\s]+)(:[0-9]{1,5})?");

  private ServerUris() {}

  public static List<RedisURI> parse(String text) {
    String shown = withoutPassword(text);
    int schemeEnd = text.indexOf("://");
    if (schemeEnd < 0) {
      throw new IllegalArgumentException(
          "Not a server URI: '" + shown + "' has no scheme; write redis://host:port");
    }
    String scheme = text.substring(0, schemeEnd).toLowerCase(Locale.ROOT);
    if (!SCHEMES.contains(scheme)) {
      throw new IllegalArgumentException(
          "Not a server URI: '"
              + shown
              + "' begins with "
              + scheme
              + "://; known are redis://, rediss:// (TLS), redis-sentinel:// and redis-socket://");
    }
    checkParameters(text, shown);
    try {
      return scheme.equals("redis") || scheme.equals("rediss")
          ? eachHost(text, schemeEnd + 3)
          : List.of(RedisURI.create(text));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "Not a server URI: '" + shown + "': " + reason(e, text, shown), e);
    }
  }

  private static String reason(RuntimeException e, String text, String shown) {
    return String.valueOf(e.getMessage()).replace(text, shown);
  }

  /** Several hosts share everything else that the URI says. */
  private static List<RedisURI> eachHost(String text, int authorityStart) {
    int authorityEnd = text.length();
    for (char end : new char[] {'/', '?', '#'}) {
      int index = text.indexOf(end, authorityStart);
      authorityEnd = index < 0 ? authorityEnd : Math.min(authorityEnd, index);
    }
    int hostsStart = text.lastIndexOf('@', authorityEnd - 1) + 1;
    hostsStart = Math.max(hostsStart, authorityStart);
    List<RedisURI> uris = new ArrayList<>();
    for (String host : text.substring(hostsStart, authorityEnd).split(",", -1)) {
      if (!HOST.matcher(host).matches()) {
        throw new IllegalArgumentException("'" + host + "' is not host, host:port or [IPv6]:port");
      }
      uris.add(
          RedisURI.create(text.substring(0, hostsStart) + host + text.substring(authorityEnd)));
    }
    return List.copyOf(uris);
  }

  private static void checkParameters(String text, String shown) {
    int query = text.indexOf('?');
    if (query < 0) {
      return;
    }
    List<String> unknown = new ArrayList<>();
    for (String pair : text.substring(query + 1).split("&")) {
      String name = pair.contains("=") ? pair.substring(0, pair.indexOf('=')) : pair;
      if (PARAMETERS.stream().noneMatch(name::equalsIgnoreCase)) {
        unknown.add(name);
      }
    }
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "Unknown option "
              + String.join(", ", unknown)
              + " in '"
              + shown
              + "'; known are "
              + String.join(", ", PARAMETERS));
    }
  }

  /** The URI with asterisks for the password, fit for messages and logs. */
  static String withoutPassword(String uri) {
    int start = uri.indexOf("://");
    int at = uri.lastIndexOf('@');
    if (start < 0 || at < 0) {
      return uri;
    }
    String user = uri.substring(start + 3, at);
    int colon = user.indexOf(':');
    String shownUser = colon > 0 ? user.substring(0, colon) + ":***" : "***";
    return uri.substring(0, start + 3) + shownUser + uri.substring(at);
  }
}
