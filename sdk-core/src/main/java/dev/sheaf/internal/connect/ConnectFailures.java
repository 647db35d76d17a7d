// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.RedisProtocolException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains failed connections, by the causes that Lettuce and Netty give. */
public final class ConnectFailures {

  private static final int MAX_CAUSES = 16;

  /**
   * Lettuce's messages if the socket is closed during the handshake; the second one if it was
   * closed before Lettuce's next check.
   */
  private static final List<String> HANG_UP =
      List.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

  /** The first byte of a TLS alert, with which a server that requires TLS answers plain text. */
  private static final String TLS_ALERT = "first byte: 21";

  private ConnectFailures() {}

  /**
   * Creates the exception for the user. The failure is its cause, unless it contains a password.
   *
   * @param failure of the last address; null if there was no address
   */
  public static RedisConnectionException explain(
      List<RedisURI> uris, Duration timeout, @Nullable RuntimeException failure) {
    Throwable known = failure == null ? new IllegalStateException("no address") : failure;
    String cannot = "Cannot connect to " + ServerUris.shown(uris) + ": ";
    if (Passwords.of(uris).isRepeatedBy(known)) {
      return new RedisConnectionException(
          cannot
              + "the server answered with an error that repeats the password, and is not shown; is"
              + " it Redis 6 or later?",
          null);
    }
    return new RedisConnectionException(cannot + reason(known, timeout), known);
  }

  /** Whether the failure says only that the connection was closed during the handshake. */
  public static boolean isHangUp(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (saysHangUp(String.valueOf(cause.getMessage()))) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean saysHangUp(String message) {
    return HANG_UP.stream().anyMatch(message::startsWith);
  }

  /** The reason, in one clause. */
  public static String reason(Throwable failure, Duration timeout) {
    Throwable cause = failure;
    Throwable last = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      String reason = known(cause, timeout);
      if (reason != null) {
        return reason;
      }
      last = cause;
      cause = cause.getCause();
    }
    return String.valueOf(last.getMessage());
  }

  private static @Nullable String known(Throwable cause, Duration timeout) {
    if (cause instanceof HostNames.UnresolvedException) {
      return cause.getMessage()
          + " within "
          + timeout.toMillis()
          + " ms (connectTimeout); does the DNS server answer?";
    }
    if (cause instanceof UnknownHostException) {
      return "the host name is unknown (" + cause.getMessage() + ")";
    }
    if (cause instanceof ConnectTimeoutException) {
      return "no answer within " + timeout.toMillis() + " ms (connectTimeout)";
    }
    if (cause instanceof ConnectException) {
      return "the connection was refused; is a server listening on that port?";
    }
    if (cause instanceof RedisProtocolException) {
      if (String.valueOf(cause.getMessage()).contains(TLS_ALERT)) {
        return "the server expects TLS on that port; write rediss://";
      }
      return "the server does not speak the Redis protocol (" + cause.getMessage() + ")";
    }
    if (cause instanceof SSLException) {
      return ofTls(cause);
    }
    if (cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException) {
      return ofTimeout(cause, timeout);
    }
    return fromServer(String.valueOf(cause.getMessage()));
  }

  private static String ofTls(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof NotSslRecordException) {
      return "the server does not speak TLS on that port; write redis:// instead of rediss://";
    }
    if (message.contains("PKIX path")) {
      return "the certificate of the server is signed by an authority that this Java does not trust"
          + "; give the authority's certificate with SslOptions in"
          + " SheafBuilder.clientOptions, or add it to the trust store of Java";
    }
    if (message.contains("No subject alternative") || message.contains("No name matching")) {
      return "the certificate of the server is not for this host ("
          + message
          + "); use a name that it has, or ?verifyPeer=CA";
    }
    return "TLS failed (" + message + "); does the server expect TLS on that port?";
  }

  private static String ofTimeout(Throwable cause, Duration timeout) {
    if (String.valueOf(cause.getMessage()).contains("SENTINEL")) {
      return "no Sentinel told where the master is within "
          + timeout.toMillis()
          + " ms (connectTimeout); is it a Sentinel, and does it know that name? For a server"
          + " itself, write redis://host:port";
    }
    return "the connection was accepted, but there was no answer within "
        + timeout.toMillis()
        + " ms (connectTimeout); is it a Redis server? With rediss:// it must speak TLS on that"
        + " port";
  }

  private static @Nullable String fromServer(String message) {
    if (saysHangUp(message) || message.contains("Connection reset")) {
      return "the server closed the connection at once; if it expects TLS, write rediss://; else, does"
          + " it refuse this address or password?";
    }
    if (message.startsWith("NOAUTH")) {
      return "the server asks for a password, and the URI has none (redis://:password@host:port)";
    }
    if (message.startsWith("WRONGPASS") || message.contains("without any password configured")) {
      return "the server refused the user name or password (" + message + ")";
    }
    if (message.startsWith("LOADING") || message.startsWith("NOPERM")) {
      return message;
    }
    return null;
  }
}
