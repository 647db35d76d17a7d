// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Resolves host names before connecting, with a time limit. Java's own resolver blocks without a
 * limit, and Netty would call it on an event loop.
 */
public final class HostNames {

  /** Thrown if a look-up takes too long. */
  static final class UnresolvedException extends RedisConnectionException {

    private static final long serialVersionUID = 1L;

    UnresolvedException(String host) {
      super("the host name " + host + " was not resolved");
    }
  }

  /** Looks up a name. */
  @FunctionalInterface
  interface Resolver {
    @Nullable Object resolve(String host) throws UnknownHostException, InterruptedException;
  }

  private HostNames() {}

  /**
   * Resolves the host of a URI, so that the next look-up is answered from Java's cache.
   *
   * @throws RedisConnectionException if the host is unknown or the look-up takes too long
   */
  public static void require(RedisURI uri, Duration timeout) {
    if (uri.getHost() != null && uri.getSentinels().isEmpty()) {
      require(uri.getHost(), timeout, InetAddress::getByName);
    }
  }

  static void require(String host, Duration timeout, Resolver resolver) {
    FutureTask<@Nullable Object> lookUp = new FutureTask<>(() -> resolver.resolve(host));
    // On a new thread, because a look-up that takes too long cannot be stopped.
    Thread thread = new Thread(lookUp, "sheaf-resolve");
    thread.setDaemon(true);
    thread.start();
    try {
      lookUp.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      lookUp.cancel(true);
      throw new UnresolvedException(host);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisConnectionException("Interrupted while looking up " + host, e);
    } catch (ExecutionException e) {
      throw new RedisConnectionException("Unable to connect to " + host, e.getCause());
    }
  }
}
