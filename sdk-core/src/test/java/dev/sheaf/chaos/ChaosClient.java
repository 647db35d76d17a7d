// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import java.time.Duration;
import java.util.List;

/** A client as the chaos uses it. Thread-safe. */
public interface ChaosClient extends AutoCloseable {

  /** What a call may take beyond the time-out of its commands: pauses of a busy machine. */
  Duration ALLOWANCE = Duration.ofSeconds(10);

  long incr(String key) throws Exception;

  void set(String key, String value) throws Exception;

  String get(String key) throws Exception;

  /**
   * The values of keys in their order, of which some may be missing; null for those that failed.
   */
  List<String> getAll(List<String> keys) throws Exception;

  /**
   * Whether an error says for certain that the command did not run. A checker holds a write that
   * failed otherwise for one that may have run.
   */
  boolean didNotRun(Exception failure);

  @Override
  void close();
}
