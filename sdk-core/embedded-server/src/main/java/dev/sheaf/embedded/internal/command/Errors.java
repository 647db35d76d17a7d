// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.CommandException;
import org.jspecify.annotations.Nullable;

/** Error lines of Redis 7.0 that several commands use. */
public final class Errors {
  public static final String NOAUTH = "NOAUTH Authentication required.";
  public static final String WRONGPASS =
      "WRONGPASS invalid username-password pair or user is disabled.";
  public static final String READONLY = "READONLY You can't write against a read only replica.";
  public static final String LOADING = "LOADING Redis is loading the dataset in memory";
  public static final String EXECABORT =
      "EXECABORT Transaction discarded because of previous errors.";
  public static final String CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";
  public static final String TRYAGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";
  public static final String SLOT_NOT_SERVED = "CLUSTERDOWN Hash slot not served";
  public static final String CLUSTER_DOWN = "CLUSTERDOWN The cluster is down";
  public static final String NOSCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

  static final String OOM = "OOM command not allowed when used memory > 'maxmemory'.";
  static final String NOREPLICAS = "NOREPLICAS Not enough good replicas to write.";
  static final String SYNTAX = "ERR syntax error";
  static final String NOT_INTEGER = "ERR value is not an integer or out of range";
  static final String NOT_FLOAT = "ERR value is not a valid float";
  static final String NO_SUCH_KEY = "ERR no such key";

  private Errors() {}

  public static CommandException of(String line) {
    return new CommandException(line);
  }

  /** Throws an error with this line if a condition is true. */
  public static void refuseIf(boolean wrong, String line) {
    if (wrong) {
      throw of(line);
    }
  }

  /** As {@link #refuseIf(boolean, String)} with a {@link String#format} pattern. */
  static void refuseIf(boolean wrong, String form, @Nullable Object... values) {
    if (wrong) {
      throw of(form.formatted(values));
    }
  }

  static void syntaxIf(boolean wrong) {
    if (wrong) {
      throw syntax();
    }
  }

  static void arityIf(boolean wrong, Call call) {
    if (wrong) {
      throw arity(call.command.name());
    }
  }

  /** Refuses an unknown subcommand, or one with the wrong number of arguments. */
  static void wrongUseIf(boolean wrong, Call call) {
    if (wrong) {
      throw wrongUse(call);
    }
  }

  /** Returns a value; throws an error with this line if it is null. */
  static <T> T found(@Nullable T value, String line) {
    if (value == null) {
      throw of(line);
    }
    return value;
  }

  public static CommandException wrongType() {
    return of("WRONGTYPE Operation against a key holding the wrong kind of value");
  }

  public static CommandException syntax() {
    return of(SYNTAX);
  }

  public static CommandException arity(String fullName) {
    return of("ERR wrong number of arguments for '" + fullName + "' command");
  }

  /** The error for an unknown subcommand, or one with the wrong number of arguments. */
  public static CommandException wrongUse(Call call) {
    return of(
        "ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."
            .formatted(call.text(1), call.text(0).toUpperCase(java.util.Locale.ROOT)));
  }

  /** The error while a script or function occupies the command thread. */
  public static CommandException busy(boolean function) {
    return of(
        "BUSY Redis is busy running a script. You can only call "
            + (function ? "FUNCTION KILL" : "SCRIPT KILL")
            + " or SHUTDOWN NOSAVE.");
  }
}
