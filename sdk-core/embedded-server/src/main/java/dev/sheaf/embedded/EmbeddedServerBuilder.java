// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.data.Check;
import dev.sheaf.embedded.internal.data.IdleStrings;
import dev.sheaf.embedded.internal.data.Slots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The settings of an {@link EmbeddedServer} to start. Not safe for use by many threads. */
public final class EmbeddedServerBuilder {
  private static final int MAX_PORT = 65535;

  int port;
  int masters;
  int replicasPerMaster;
  @Nullable Path unixSocket;
  @Nullable String password;
  @Nullable String sentinelOf;
  boolean epoll;
  @Nullable Duration compressIdleAfter;
  EmbeddedClock clock = EmbeddedClock.system();
  Version version = Version.REDIS_7_0;
  long seed = System.nanoTime();

  EmbeddedServerBuilder() {}

  /**
   * The TCP port; 0 (the default) takes a free one. A cluster takes consecutive ports from here.
   *
   * @throws IllegalArgumentException outside 0 to 65535
   */
  public EmbeddedServerBuilder port(int newPort) {
    Check.argument(newPort < 0 || newPort > MAX_PORT, "port must be 0 to 65535: %s", newPort);
    port = newPort;
    return this;
  }

  /**
   * A cluster instead of a standalone server.
   *
   * @param mastersWanted at least 1
   * @param replicas per master, 0 or more
   * @throws IllegalArgumentException outside these
   */
  public EmbeddedServerBuilder cluster(int mastersWanted, int replicas) {
    Check.argument(
        mastersWanted < 1 || mastersWanted > Slots.COUNT || replicas < 0,
        "a cluster needs 1 to 16384 masters and 0 or more replicas each: %s, %s",
        mastersWanted,
        replicas);
    masters = mastersWanted;
    replicasPerMaster = replicas;
    return this;
  }

  /** Listens on a Unix socket as well. Standalone only. */
  public EmbeddedServerBuilder unixSocket(Path path) {
    unixSocket = path;
    return this;
  }

  /** What clients must give by AUTH or HELLO, for the default user. */
  public EmbeddedServerBuilder password(String newPassword) {
    password = newPassword;
    return this;
  }

  /**
   * Replicas of a standalone server, or of each master of a cluster.
   *
   * @throws IllegalArgumentException if negative
   */
  public EmbeddedServerBuilder replicas(int perMaster) {
    Check.argument(perMaster < 0, "replicas must be 0 or more: %s", perMaster);
    replicasPerMaster = perMaster;
    return this;
  }

  /**
   * A sentinel beside a standalone server with replicas, on a free port; without a password. {@link
   * EmbeddedNode#failover} makes it announce the new master.
   */
  public EmbeddedServerBuilder sentinel(String masterName) {
    sentinelOf = masterName;
    return this;
  }

  /**
   * Uses Linux's epoll, which is faster than Java's own sockets. The application brings
   * netty-transport-native-epoll.
   */
  public EmbeddedServerBuilder epoll() {
    epoll = true;
    return this;
  }

  /**
   * Compresses strings of 256 bytes to 1 MiB with LZ4 that no command has used for so long, and
   * expands them when one does; off by default. It takes 5 ms at most of each 100 ms, for each
   * database that holds something. {@link EmbeddedServer#idleCompression} counts what it does. The
   * application brings at.yawk.lz4:lz4-java.
   *
   * @throws IllegalArgumentException below a second: uses are known to the second
   */
  public EmbeddedServerBuilder compressIdleAfter(Duration idle) {
    Check.argument(idle.toMillis() < 1000, "idle must be at least a second: %s", idle);
    compressIdleAfter = idle;
    return this;
  }

  /** The server to behave as; {@link Version#REDIS_7_0} by default. */
  public EmbeddedServerBuilder version(Version newVersion) {
    version = newVersion;
    return this;
  }

  /** The seed of what is random, such as RANDOMKEY, SPOP and node ids; another each time else. */
  public EmbeddedServerBuilder seed(long newSeed) {
    seed = newSeed;
    return this;
  }

  /** The time to go by; {@link EmbeddedClock#system()} by default. */
  public EmbeddedServerBuilder clock(EmbeddedClock newClock) {
    clock = newClock;
    return this;
  }

  /**
   * Starts the server.
   *
   * @throws UncheckedIOException if a socket cannot be opened
   * @throws IllegalStateException if epoll is wanted and not there, LZ4 is needed and not there, or
   *     a Unix socket is asked of a cluster
   */
  public EmbeddedServer start() {
    if (compressIdleAfter != null) {
      IdleStrings.requireLibrary();
    }
    Check.state(
        unixSocket != null && masters > 0,
        "a Unix socket is for a standalone server: %s",
        unixSocket);
    try {
      return new EmbeddedServer(this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
