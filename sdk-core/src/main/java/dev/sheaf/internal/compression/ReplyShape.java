// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

/** Defines which bulk strings of a reply are values. */
enum ReplyShape {
  NONE("-"),
  /** All of them. */
  VALUES("all"),
  /** Field, value, field, value; nested or flat. */
  PAIRS("every 2nd"),
  /** A key, then values. */
  AFTER_FIRST("all but the 1st"),
  /** A cursor, then field, value, field, value. */
  CURSOR_PAIRS("every 2nd after the cursor"),
  /** Stream entries, wherever they occur: an identifier, then field, value, field, value. */
  ENTRIES("every 2nd in an entry");

  private final String text;

  ReplyShape(String text) {
    this.text = text;
  }

  /** Returns the name in the guide. */
  String text() {
    return text;
  }
}
