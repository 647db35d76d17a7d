// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

import dev.sheaf.embedded.internal.protocol.CommandException;

/** The error lines of Redis 7.0 that more than one command answers. */
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

  private Errors() {}

  public static CommandException of(String line) {
    return new CommandException(line);
  }

  public static CommandException wrongType() {
    return of("WRONGTYPE Operation against a key holding the wrong kind of value");
  }

  public static CommandException syntax() {
    return of("ERR syntax error");
  }

  public static CommandException notInteger() {
    return of("ERR value is not an integer or out of range");
  }

  public static CommandException notFloat() {
    return of("ERR value is not a valid float");
  }

  public static CommandException noSuchKey() {
    return of("ERR no such key");
  }

  public static CommandException indexOutOfRange() {
    return of("ERR index out of range");
  }

  public static CommandException arity(String fullName) {
    return of("ERR wrong number of arguments for '" + fullName + "' command");
  }

  /** A subcommand that is given too much, or what it does not know. */
  public static CommandException wrongUse(Call call) {
    return of(
        "ERR unknown subcommand or wrong number of arguments for '"
            + call.text(1)
            + "'. Try "
            + call.text(0).toUpperCase(java.util.Locale.ROOT)
            + " HELP.");
  }

  /** While a script or a function holds the command thread. */
  public static CommandException busy(boolean function) {
    return of(
        "BUSY Redis is busy running a script. You can only call "
            + (function ? "FUNCTION KILL" : "SCRIPT KILL")
            + " or SHUTDOWN NOSAVE.");
  }

  public static CommandException notPositive() {
    return of("ERR value is out of range, must be positive");
  }
}
