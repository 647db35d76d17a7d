// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

/** The position of the next bulk string in a reply. One for each command. */
final class ReplyPosition {

  private final ReplyShape shape;

  /** The number of bulk strings and nils so far. */
  private int bulks;

  /** The number of them since the last container was opened. */
  private int inContainer;

  /**
   * Whether that container followed a bulk string, as the fields of a stream entry follow its
   * identifier.
   */
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

  /** Returns the number of the last bulk string, counted from 1. */
  int elements() {
    return bulks;
  }

  /** Records a bulk string or nil. Returns whether it is at the position of a value. */
  boolean bulk() {
    boolean value =
        switch (shape) {
          case NONE -> false;
          case VALUES -> true;
          case PAIRS -> bulks % 2 == 1;
          case AFTER_FIRST -> bulks > 0;
          case CURSOR_PAIRS -> bulks > 0 && bulks % 2 == 0;
          // Other containers after a bulk string, such as the entries of a stream, contain
          // containers.
          case ENTRIES -> fields && inContainer % 2 == 1;
        };
    bulks++;
    inContainer++;
    afterBulk = true;
    return value;
  }

  /** Records any other part that is not a container. */
  void other() {
    afterBulk = false;
  }

  /** Records a container. */
  void open() {
    fields = afterBulk;
    inContainer = 0;
    afterBulk = false;
  }
}
