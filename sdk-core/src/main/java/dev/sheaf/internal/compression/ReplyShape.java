// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

/** Which bulk strings of a reply are values. */
enum ReplyShape {
  NONE("-"),
  /** All of them. */
  VALUES("all"),
  /** Field, value, field, value; nested or not. */
  PAIRS("every 2nd"),
  /** A key, then values. */
  AFTER_FIRST("all but the 1st"),
  /** A cursor, then field, value, field, value. */
  CURSOR_PAIRS("every 2nd after the cursor"),
  /** The entries of streams, wherever they stand: an identifier, and field, value, field, value. */
  ENTRIES("every 2nd in an entry");

  private final String text;

  ReplyShape(String text) {
    this.text = text;
  }

  /** How the guide describes it. */
  String text() {
    return text;
  }
}
