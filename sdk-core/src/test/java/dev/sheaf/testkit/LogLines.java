// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The lines that are logged to one logger from level INFO on, which go nowhere else meanwhile. */
public final class LogLines implements AutoCloseable {

  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          lines.add(entry.getLevel() + " " + entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  public LogLines(String loggerName) {
    logger = Logger.getLogger(loggerName);
    logger.addHandler(handler);
    logger.setLevel(Level.INFO);
    logger.setUseParentHandlers(false);
  }

  /** Each is its level and its message; grows as lines come. */
  public List<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    logger.setLevel(null);
  }
}
