// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The passwords of some URIs, to keep them out of messages. Servers that do not know AUTH or HELLO
 * repeat the arguments in their error. Immutable.
 */
final class Passwords {

  /** Shorter parts of a password occur in any text by chance. */
  private static final int TELLING_CHARS = 4;

  private static final int MAX_DEPTH = 16;

  private final List<String> passwords;

  private Passwords(List<String> passwords) {
    this.passwords = passwords;
  }

  /** Collects the passwords that are available without blocking. */
  static Passwords of(List<RedisURI> uris) {
    List<String> passwords = new ArrayList<>();
    for (RedisURI uri : uris) {
      add(uri, passwords);
      uri.getSentinels().forEach(sentinel -> add(sentinel, passwords));
    }
    return new Passwords(passwords);
  }

  private static void add(RedisURI uri, List<String> passwords) {
    RedisCredentials known;
    try {
      known = uri.getCredentialsProvider().resolveCredentials().toFuture().getNow(null);
    } catch (RuntimeException unknown) {
      return;
    }
    if (known != null && known.hasPassword()) {
      passwords.add(new String(known.getPassword()));
    }
  }

  /**
   * Whether a message of this failure, its causes or its suppressed exceptions contains part of
   * one.
   */
  boolean isRepeatedBy(Throwable failure) {
    return isRepeatedBy(failure, 0);
  }

  private boolean isRepeatedBy(@Nullable Throwable failure, int depth) {
    if (failure == null || depth > MAX_DEPTH) {
      return false;
    }
    String message = String.valueOf(failure.getMessage());
    for (String password : passwords) {
      if (sharesPart(message, password)) {
        return true;
      }
    }
    for (Throwable suppressed : failure.getSuppressed()) {
      if (isRepeatedBy(suppressed, depth + 1)) {
        return true;
      }
    }
    return isRepeatedBy(failure.getCause(), depth + 1);
  }

  private static boolean sharesPart(String message, String password) {
    if (password.length() < TELLING_CHARS) {
      return message.contains("'" + password + "'");
    }
    for (int from = 0; from + TELLING_CHARS <= password.length(); from++) {
      if (message.contains(password.substring(from, from + TELLING_CHARS))) {
        return true;
      }
    }
    return false;
  }
}
