// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.Result;
import java.util.List;
import java.util.Map;

/** A client that takes many keys at once and tells of each how it went. Thread-safe. */
public interface BulkClient extends ChaosClient {

  /** Increments each key, by futures or as one batch. */
  Map<String, Result<Long>> incrAll(List<String> keys, boolean batch) throws Exception;

  /** Writes each key. */
  Map<String, Result<Boolean>> setAll(Map<String, String> values) throws Exception;

  /** Reads each key. */
  Map<String, Result<String>> readAll(List<String> keys) throws Exception;
}
