// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.protocol.CommandTable;
import java.util.Map;
import java.util.TreeMap;

/** What a node counts. Written and read on the command thread. */
public final class Counters {
  /** Codes of errors counted apart: scripts can make up any number. As later versions of Redis. */
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

  /** Commands that were refused before they ran. */
  public final long[] rejected = new long[ROWS];

  /** How many errors of each code, in the order of the codes. */
  public final Map<String, Long> errorsByCode = new TreeMap<>();

  /** Counts an error by the code its line begins with. */
  public void error(String line) {
    errors++;
    int blank = line.indexOf(' ');
    String code = blank < 0 ? line : line.substring(0, blank);
    if (errorsByCode.size() < MAX_CODES || errorsByCode.containsKey(code)) {
      errorsByCode.merge(code, 1L, Long::sum);
    }
  }
}
