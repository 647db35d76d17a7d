// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.protocol.CommandTable;
import java.util.Map;
import java.util.TreeMap;

/** The counters of a node. Confined to the command thread. */
public final class Counters {
  /**
   * The most error codes that are counted separately, as in later versions of Redis: scripts can
   * create any number.
   */
  private static final int MAX_CODES = 128;

  private static final int ROWS = CommandTable.names().size();

  public long commands;
  public long connections;
  public long bytesIn;
  public long bytesOut;
  public long readBatches;
  public long expiredKeys;
  public long expiredFields;
  public long evictedKeys;
  public long hits;
  public long misses;
  public long errors;
  public final long[] perCommand = new long[ROWS];

  /** Executions that ended with an error. */
  public final long[] failed = new long[ROWS];

  /** Commands refused before they ran. */
  public final long[] rejected = new long[ROWS];

  /** Returns the number of errors by code, in the order of the codes. */
  public final Map<String, Long> errorsByCode = new TreeMap<>();

  /** Counts an error by the code at the start of its line. */
  public void error(String line) {
    errors++;
    int blank = line.indexOf(' ');
    String code = blank < 0 ? line : line.substring(0, blank);
    if (errorsByCode.size() < MAX_CODES || errorsByCode.containsKey(code)) {
      errorsByCode.merge(code, 1L, Long::sum);
    }
  }
}
