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
 * The look-up of host names before connecting, which bounds it. Java's own blocks, without a limit
 * that it could be told, and Netty would have an event loop do it.
 */
public final class HostNames {

  /** A name whose look-up took too long. */
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
   * Looks up the host of a URI, so that the next look-up is answered by Java's cache.
   *
   * @throws RedisConnectionException if there is no such host, or no answer in time
   */
  public static void require(RedisURI uri, Duration timeout) {
    if (uri.getHost() != null && uri.getSentinels().isEmpty()) {
      require(uri.getHost(), timeout, InetAddress::getByName);
    }
  }

  static void require(String host, Duration timeout, Resolver resolver) {
    FutureTask<@Nullable Object> lookUp = new FutureTask<>(() -> resolver.resolve(host));
    // A thread of its own: what the look-up takes too long for, cannot be ended.
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
