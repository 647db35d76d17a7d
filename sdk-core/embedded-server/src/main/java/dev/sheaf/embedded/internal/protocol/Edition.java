// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import dev.sheaf.embedded.internal.data.Numbers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The server whose commands, error texts and reports a node reproduces. */
public enum Edition {
  REDIS_7_0("redis", "7.0.15", "7.0.15", 10),
  REDIS_7_4("redis", "7.4.2", "7.4.2", 12),
  REDIS_8_0("redis", "8.0.2", "8.0.2", 12),
  VALKEY_8_1("valkey", "8.1.1", "7.2.4", 11);

  /** The name in HELLO: redis or valkey. */
  public final String server;

  public final String version;
  private final String redisVersion;

  /** The version in a DUMP payload. */
  public final int dumpVersion;

  private final Map<Pattern, String> wordings = new LinkedHashMap<>();

  Edition(String server, String version, String redisVersion, int dumpVersion) {
    this.server = server;
    this.version = version;
    this.redisVersion = redisVersion;
    this.dumpVersion = dumpVersion;
  }

  static {
    for (String line : lines("errors.txt")) {
      String[] parts = line.split(" => ");
      int blank = parts[0].indexOf(' ');
      Pattern pattern = Pattern.compile(parts[0].substring(blank + 1));
      for (Edition edition : values()) {
        if (edition.has(parts[0].substring(0, blank))) {
          edition.wordings.put(pattern, parts[1]);
        }
      }
    }
  }

  /** Reads the lines of a resource, without comments and empty lines. */
  public static List<String> lines(String file) {
    try (InputStream in = Edition.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing beside " + Edition.class);
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the version of Redis it is compatible with. */
  public String redisVersion() {
    return redisVersion;
  }

  public boolean isValkey() {
    return server.equals("valkey");
  }

  /**
   * Returns whether it has what was added in a version.
   *
   * @param since a version of Redis, such as {@code 7.2.0}, or {@code valkey} for additions of
   *     Valkey
   */
  public boolean has(String since) {
    return since.equals("valkey") ? isValkey() : number(since) <= number(redisVersion);
  }

  /** Returns whether it is newer than Redis 7.0. */
  public boolean isNewer() {
    return this != REDIS_7_0;
  }

  /** Returns the Redis version as scripts see it: a byte each for major, minor and patch. */
  public static int number(String version) {
    String[] parts = version.split("\\.", -1);
    return Integer.parseInt(parts[0]) << 16
        | Integer.parseInt(parts[1]) << 8
        | (parts.length > 2 ? Integer.parseInt(parts[2]) : 0);
  }

  /** Formats a score as this server replies it. */
  public String number(double value) {
    return isNewer() ? Numbers.formatShortest(value) : Numbers.format(value);
  }

  /** Returns this server's wording of an error line of Redis 7.0. */
  public String worded(String line) {
    for (Map.Entry<Pattern, String> wording : wordings.entrySet()) {
      line = wording.getKey().matcher(line).replaceFirst(wording.getValue());
    }
    return line;
  }
}
