package dev.sheaf.internal.connect;

import dev.sheaf.SheafConnectionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.RedisProtocolException;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says why a connection could not be made, from what Lettuce and Netty leave in the causes. */
public final class ConnectFailures {

  private static final int MAX_CAUSES = 16;

  /**
   * What Lettuce says if the socket ends during the handshake; the second one where it has ended
   * before Lettuce looks at it again.
   */
  private static final List<String> HANG_UP =
      List.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

  private ConnectFailures() {}

  public static SheafConnectionException explain(
      List<RedisURI> uris, Duration timeout, @Nullable RuntimeException failure) {
    Throwable known = failure == null ? new IllegalStateException("no address") : failure;
    String servers = uris.stream().map(RedisURI::toString).collect(Collectors.joining(", "));
    return new SheafConnectionException(
        "Cannot connect to " + servers + ": " + reason(known, timeout), known);
  }

  /** Whether all that is known is that the connection ended while it was being made. */
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

  /** Says why in one clause. */
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
      return "the server does not speak the Redis protocol (" + cause.getMessage() + ")";
    }
    if (cause instanceof SSLException) {
      return "TLS failed (" + cause.getMessage() + "); does the server expect TLS on that port?";
    }
    if (cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException) {
      return "the connection was accepted, but there was no answer within "
          + timeout.toMillis()
          + " ms (connectTimeout); is it a Redis server?";
    }
    return fromServer(String.valueOf(cause.getMessage()));
  }

  private static @Nullable String fromServer(String message) {
    if (saysHangUp(message)) {
      return "the server closed the connection at once; does it refuse this address or password, or"
          + " expect TLS?";
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
