// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

/** The limits of one client, in bytes unless noted otherwise. */
public final class Limits {
  /** The longest argument. As Redis' proto-max-bulk-len. */
  static final int MAX_BULK = 512 * 1024 * 1024;

  /** The most arguments of one command. As Redis up to 6.2. */
  static final int MAX_ARGUMENTS = 1024 * 1024;

  /** The longest line: an inline command, or the head of an argument. As Redis. */
  static final int MAX_LINE = 64 * 1024;

  /** Limits before authentication: arguments, and bytes of each. As Redis. */
  static final int MAX_ARGUMENTS_BEFORE_AUTH = 10;

  static final int MAX_BULK_BEFORE_AUTH = 16384;

  /** Unsent replies of a slow reader; above it its commands wait until half has been sent. */
  public static final int HIGH_WATER = 1024 * 1024;

  public static final int LOW_WATER = HIGH_WATER / 2;

  /** Unsent messages of a slow subscriber; above it the connection is closed. As Redis. */
  public static final long MAX_SUBSCRIBER_OUTPUT = 32L * 1024 * 1024;

  /** Commands that a blocked client can send ahead; above it the socket is not read. */
  public static final int MAX_PENDING_INPUT = 1024 * 1024;

  private Limits() {}
}
