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

/** A builder of an {@link EmbeddedServer}. Not thread-safe. */
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
   * Sets the TCP port; 0 (the default) uses a free one. A cluster uses consecutive ports from here.
   *
   * @throws IllegalArgumentException if it is not in 0 to 65535
   */
  public EmbeddedServerBuilder port(int newPort) {
    Check.argument(newPort < 0 || newPort > MAX_PORT, "port must be 0 to 65535: %s", newPort);
    port = newPort;
    return this;
  }

  /**
   * Builds a cluster instead of a standalone server.
   *
   * @param mastersWanted at least 1
   * @param replicas per master, 0 or more
   * @throws IllegalArgumentException if they are out of range
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

  /** Also listens on a Unix socket. Standalone only. */
  public EmbeddedServerBuilder unixSocket(Path path) {
    unixSocket = path;
    return this;
  }

  /** Sets the password of the default user, for AUTH or HELLO. */
  public EmbeddedServerBuilder password(String newPassword) {
    password = newPassword;
    return this;
  }

  /**
   * Sets the number of replicas of a standalone server, or of each master of a cluster.
   *
   * @throws IllegalArgumentException if negative
   */
  public EmbeddedServerBuilder replicas(int perMaster) {
    Check.argument(perMaster < 0, "replicas must be 0 or more: %s", perMaster);
    replicasPerMaster = perMaster;
    return this;
  }

  /**
   * Adds a sentinel to a standalone server with replicas, on a free port, without a password. It
   * announces the new master after {@link EmbeddedNode#failover}.
   */
  public EmbeddedServerBuilder sentinel(String masterName) {
    sentinelOf = masterName;
    return this;
  }

  /**
   * Uses Linux's epoll, which is faster than Java's own sockets. Needs netty-transport-native-epoll
   * on the class path.
   */
  public EmbeddedServerBuilder epoll() {
    epoll = true;
    return this;
  }

  /**
   * Compresses strings of 256 bytes to 1 MiB with LZ4 that no command has used for this long, and
   * decompresses them at their next use; off by default. It takes at most 5 ms of each 100 ms for
   * each database with keys. {@link EmbeddedServer#idleCompression} has its figures. Needs
   * at.yawk.lz4:lz4-java on the class path.
   *
   * @throws IllegalArgumentException if less than a second: uses are recorded to the second
   */
  public EmbeddedServerBuilder compressIdleAfter(Duration idle) {
    Check.argument(idle.toMillis() < 1000, "idle must be at least a second: %s", idle);
    compressIdleAfter = idle;
    return this;
  }

  /** Sets the server whose behaviour it has; {@link Version#REDIS_7_0} by default. */
  public EmbeddedServerBuilder version(Version newVersion) {
    version = newVersion;
    return this;
  }

  /**
   * Sets the seed of random choices, such as RANDOMKEY, SPOP and node ids; by default a different
   * one each time.
   */
  public EmbeddedServerBuilder seed(long newSeed) {
    seed = newSeed;
    return this;
  }

  /** Sets the clock; {@link EmbeddedClock#system()} by default. */
  public EmbeddedServerBuilder clock(EmbeddedClock newClock) {
    clock = newClock;
    return this;
  }

  /**
   * Starts the server.
   *
   * @throws UncheckedIOException if a socket cannot be opened
   * @throws IllegalStateException if epoll or LZ4 is needed and not on the class path, or a cluster
   *     should listen on a Unix socket
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
