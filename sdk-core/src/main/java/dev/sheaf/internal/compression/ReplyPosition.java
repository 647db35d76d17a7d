// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

/** Where in a reply the next bulk string stands. There is one for each command. */
final class ReplyPosition {

  private final ReplyShape shape;

  /** How many bulk strings and nils there were. */
  private int bulks;

  /** How many of them there were since the last container was opened. */
  private int inContainer;

  /** Whether that container followed a bulk string, as the fields of an entry do its identifier. */
  private boolean fields;

  private boolean afterBulk;

  ReplyPosition(ReplyShape shape) {
    this.shape = shape;
  }

  void restart() {
    bulks = 0;
    inContainer = 0;
    fields = false;
    afterBulk = false;
  }

  /** The number of the last bulk string, from 1. */
  int elements() {
    return bulks;
  }

  /** Takes note of a bulk string or a nil; whether it is at the place of a value. */
  boolean bulk() {
    boolean value =
        switch (shape) {
          case NONE -> false;
          case VALUES -> true;
          case PAIRS -> bulks % 2 == 1;
          case AFTER_FIRST -> bulks > 0;
          case CURSOR_PAIRS -> bulks > 0 && bulks % 2 == 0;
          // Others that follow a bulk string, such as the entries of a stream, hold containers.
          case ENTRIES -> fields && inContainer % 2 == 1;
        };
    bulks++;
    inContainer++;
    afterBulk = true;
    return value;
  }

  /** Takes note of anything else that is no container. */
  void other() {
    afterBulk = false;
  }

  /** Takes note of a container. */
  void open() {
    fields = afterBulk;
    inContainer = 0;
    afterBulk = false;
  }
}
