// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import java.util.concurrent.CompletableFuture;

/**
 * A scatter that is under way. Thread-safe.
 *
 * @param <R> the type of the whole
 */
public interface ScatterRun<R> {

  /**
   * The result, or a {@link ScatterException}; what iterating the keys or the reducer throws, as it
   * is. To cancel this future does what {@link #cancel} does.
   */
  CompletableFuture<R> result();

  /** How far it has come. */
  ScatterProgress progress();

  /**
   * Sends no further slices. Those that were sent still run on the server; the result fails once
   * they have ended.
   */
  void cancel();
}
