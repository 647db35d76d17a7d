// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parser of server URIs. It accepts Lettuce's URIs, ignores nothing, and explains what is
 * wrong.
 *
 * <p>Neither messages nor causes repeat the URI: if it is malformed, any part of it may be the
 * password.
 */
public final class ServerUris {

  private static final Set<String> HOST_SCHEMES =
      Set.of("redis", "rediss", "redis+ssl", "redis+tls");
  private static final Set<String> SENTINEL_SCHEMES = Set.of("redis-sentinel", "rediss-sentinel");
  private static final Set<String> SOCKET_SCHEMES = Set.of("redis-socket", "redis+socket");

  /** Lettuce's parameters, each with its valid values. */
  private static final Map<String, Pattern> PARAMETERS = new LinkedHashMap<>();

  static {
    Pattern number = Pattern.compile("[0-9]{1,9}");
    Pattern text = Pattern.compile("[^ ]+");
    PARAMETERS.put("timeout", Pattern.compile("[0-9]{1,18}(ns|us|ms|s|m|h|d)?"));
    PARAMETERS.put("database", number);
    PARAMETERS.put("db", number);
    PARAMETERS.put("clientName", text);
    PARAMETERS.put("libraryName", text);
    PARAMETERS.put("libraryVersion", text);
    PARAMETERS.put(
        "verifyPeer",
        Pattern.compile(
            Arrays.stream(SslVerifyMode.values()).map(Enum::name).collect(Collectors.joining("|")),
            Pattern.CASE_INSENSITIVE));
    PARAMETERS.put("sentinelMasterId", text);
  }

  private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+-]{0,19}");
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\[\\]:,\\s%]+)(?::([0-9]{1,5}))?");
  private static final Pattern DATABASE = Pattern.compile("/?|/[0-9]{1,9}");
  private static final Pattern NAME = Pattern.compile("[a-zA-Z]{1,40}");
  private static final int MAX_PORT = 65_535;

  private final String scheme;

  /** The text before the {@code @}; null if there is none. */
  private final @Nullable String userInfo;

  private final String hosts;

  /** The text from the first slash, question mark or hash on. */
  private final String rest;

  private ServerUris(String scheme, String afterScheme) {
    this.scheme = scheme;
    int end = authorityEnd(afterScheme);
    String authority = afterScheme.substring(0, end);
    this.rest = afterScheme.substring(end);
    int at = authority.indexOf('@');
    this.userInfo = at < 0 ? null : authority.substring(0, at);
    this.hosts = authority.substring(at + 1);
  }

  /**
   * Parses a URI.
   *
   * @return one URI for each host, or a single one for Sentinels or a socket
   * @throws IllegalArgumentException if it is malformed; the message explains it without repeating
   *     it
   */
  public static List<RedisURI> parse(@Nullable String text) {
    if (text == null) {
      throw wrong("it is null; write redis://host:port");
    }
    int schemeEnd = text.indexOf("://");
    if (schemeEnd < 0) {
      throw wrong("it has no scheme; write redis://host:port");
    }
    String scheme = text.substring(0, schemeEnd).toLowerCase(Locale.ROOT);
    if (!HOST_SCHEMES.contains(scheme)
        && !SENTINEL_SCHEMES.contains(scheme)
        && !SOCKET_SCHEMES.contains(scheme)) {
      throw wrong(
          (SCHEME.matcher(scheme).matches()
                  ? "it begins with " + scheme + "://"
                  : "it begins with no scheme that is known")
              + "; known are redis://, rediss:// (TLS), redis-sentinel:// and redis-socket://");
    }
    return new ServerUris(scheme, text.substring(schemeEnd + 3)).read();
  }

  /** Formats addresses for messages: scheme, hosts and database, without credentials. */
  public static String shown(List<RedisURI> uris) {
    return uris.stream().map(ServerUris::shown).collect(Collectors.joining(", "));
  }

  private static String shown(RedisURI uri) {
    if (uri.getSocket() != null) {
      return "redis-socket://" + uri.getSocket();
    }
    String scheme = uri.isSsl() ? "rediss" : "redis";
    if (!uri.getSentinels().isEmpty()) {
      return uri.getSentinels().stream()
          .map(sentinel -> sentinel.getHost() + ":" + sentinel.getPort())
          .collect(
              Collectors.joining(",", scheme + "-sentinel://", "#" + uri.getSentinelMasterId()));
    }
    String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
    return scheme + "://" + uri.getHost() + ":" + uri.getPort() + database;
  }

  private static int authorityEnd(String text) {
    int end = 0;
    while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  private List<RedisURI> read() {
    checkPlaceOfAt();
    if (userInfo == null && hosts.startsWith(":")) {
      throw wrong("it ends before @host; write redis://:password@host:port");
    }
    List<RedisURI> uris;
    if (SOCKET_SCHEMES.contains(scheme)) {
      uris = List.of(create("", "its path, or what follows it, is not understood"));
    } else {
      List<Matcher> found = hosts();
      checkRest();
      uris = SENTINEL_SCHEMES.contains(scheme) ? sentinels() : eachHost(found);
    }
    uris.forEach(this::authenticate);
    return uris;
  }

  /** Requires at most one {@code @}, so that the password is the text before it. */
  private void checkPlaceOfAt() {
    if (hosts.contains("@")) {
      throw wrong("it has more than one @; write @ in a password as %40");
    }
    if (rest.contains("@")) {
      char before = rest.charAt(0);
      throw wrong(
          "it has "
              + before
              + " before @; write "
              + before
              + " in a password as "
              + (before == '/' ? "%2F" : before == '?' ? "%3F" : "%23")
              + ", and @ behind the host as %40");
    }
  }

  private List<Matcher> hosts() {
    if (hosts.isEmpty()) {
      throw wrong("it names no host; write " + scheme + "://host:port");
    }
    List<Matcher> found = new ArrayList<>();
    for (String host : hosts.split(",", -1)) {
      Matcher matcher = HOST.matcher(host);
      if (!matcher.matches()
          || (matcher.group(2) != null && Integer.parseInt(matcher.group(2)) > MAX_PORT)) {
        int number = found.size() + 1;
        throw wrong(
            "its "
                + number
                + (number == 1 ? "st" : number == 2 ? "nd" : number == 3 ? "rd" : "th")
                + " host is not host, host:port or [IPv6]:port, with a port up to "
                + MAX_PORT);
      }
      found.add(matcher);
    }
    return found;
  }

  private void checkRest() {
    String path = rest.split("[?#]", -1)[0];
    if (!DATABASE.matcher(path).matches()) {
      throw wrong("behind the host stands no database; a database is a number, as in redis://h/1");
    }
    int query = rest.indexOf('?');
    if (query < 0) {
      return;
    }
    int fragment = rest.indexOf('#', query);
    for (String pair :
        rest.substring(query + 1, fragment < 0 ? rest.length() : fragment).split("[&;]", -1)) {
      checkParameter(pair);
    }
  }

  private static void checkParameter(String pair) {
    int equals = pair.indexOf('=');
    String name = equals < 0 ? pair : pair.substring(0, equals);
    for (Map.Entry<String, Pattern> known : PARAMETERS.entrySet()) {
      if (known.getKey().equalsIgnoreCase(name)) {
        if (!known.getValue().matcher(pair.substring(equals + 1)).matches()) {
          throw wrong(known.getKey() + "= must match " + known.getValue());
        }
        return;
      }
    }
    throw wrong(
        "Unknown option "
            + (NAME.matcher(name).matches() ? name : "")
            + " behind the host; known are "
            + String.join(", ", PARAMETERS.keySet()));
  }

  private List<RedisURI> sentinels() {
    if (rest.indexOf('#') < 0 && !rest.toLowerCase(Locale.ROOT).contains("sentinelmasterid=")) {
      throw wrong("it lacks the name of the master; write redis-sentinel://host:port#name");
    }
    return List.of(create(hosts, "what follows its hosts is not understood"));
  }

  /** Several hosts share the rest of the URI. */
  private List<RedisURI> eachHost(List<Matcher> found) {
    List<RedisURI> uris = new ArrayList<>();
    for (Matcher host : found) {
      // For a host with an underscore, Lettuce would take the port as part of the name.
      RedisURI uri = create("host", "what follows its host is not understood");
      uri.setHost(host.group(1));
      uri.setPort(
          host.group(2) == null ? RedisURI.DEFAULT_REDIS_PORT : Integer.parseInt(host.group(2)));
      uris.add(uri);
    }
    return List.copyOf(uris);
  }

  /** Parses everything but the credentials with Lettuce's parser. */
  private RedisURI create(String authority, String otherwise) {
    try {
      return RedisURI.create(scheme + "://" + authority + rest);
    } catch (RuntimeException e) {
      // Not as the cause: it repeats its input.
      throw wrong(otherwise + "; write other characters than letters and digits as %XX");
    }
  }

  private void authenticate(RedisURI uri) {
    String given = userInfo;
    if (given == null) {
      return;
    }
    int colon = given.indexOf(':');
    String password = decoded(given.substring(colon + 1));
    if (password.isEmpty()) {
      return;
    }
    if (colon > 0) {
      uri.setAuthentication(decoded(given.substring(0, colon)), password.toCharArray());
    } else {
      uri.setAuthentication(password.toCharArray());
    }
  }

  /** Decodes %XX in text, as UTF-8. */
  private static String decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] given = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < given.length; i++) {
      if (given[i] != '%') {
        bytes.write(given[i]);
        continue;
      }
      int high = i + 2 < given.length ? Character.digit(given[i + 1], 16) : -1;
      int low = i + 2 < given.length ? Character.digit(given[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw wrong("it has a % without two hex digits; write % in a password as %25");
      }
      bytes.write(high << 4 | low);
      i += 2;
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("Not a server URI: " + what);
  }
}
