// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.servers.ServerKind;
import org.jspecify.annotations.Nullable;

/**
 * The measured clients. To add one, implement {@link Rival} and add a constant here.
 *
 * <p>All use UTF-8 strings and their default settings, except for limits that a row would exceed.
 */
public enum Client {
  /** Plain Lettuce with one shared connection, the reference of ratios. */
  LETTUCE("Lettuce", LettuceRival::new),
  /** Jedis with a pool of as many connections (for each node) as there are threads. */
  JEDIS("Jedis", JedisRival::new),
  /** Redisson with its own pool. */
  REDISSON("Redisson", RedissonRival::new),
  /** Valkey GLIDE, where its native library loads. */
  GLIDE("GLIDE", GlideRival::new),
  /** The Go client rueidis, a separate program in {@code benchmarks/go}; needs Go. */
  RUEIDIS("rueidis (Go)", null),
  /** Sheaf whose waiting threads park. */
  SHEAF("Sheaf", (kind, uri, threads) -> new SheafRival(Sheaf.builder(uri))),
  /** Sheaf whose waiting threads may yield. */
  SHEAF_YIELDING(
      "Sheaf, yielding", (kind, uri, threads) -> new SheafRival(Sheaf.builder(uri).yielding(true)));

  private final String title;
  private final @Nullable Connector connector;

  Client(String title, @Nullable Connector connector) {
    this.title = title;
    this.connector = connector;
  }

  /** Returns the name in tables. */
  public String title() {
    return title;
  }

  /**
   * Connects.
   *
   * @param threads how many threads will use the client at once
   * @throws UnsupportedOperationException if the client does not run in this JVM; the message says
   *     why
   */
  public Rival connect(ServerKind kind, String uri, int threads) {
    if (connector == null) {
      throw new UnsupportedOperationException(title + " does not run in a JVM");
    }
    return connector.connect(kind, uri, threads);
  }

  private interface Connector {
    Rival connect(ServerKind kind, String uri, int threads);
  }
}
