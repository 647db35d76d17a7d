// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The dictionaries that clients have trained and stored in a key space.
 *
 * <p>Thread-safe. All methods block, at most the command time-out for each round trip. Call none on
 * an event loop, such as in a callback of a future.
 */
public interface Dictionaries {

  /** Returns all stored dictionaries, grouped by prefix; unmodifiable. */
  List<DictionaryInfo> list();

  /**
   * Exports a dictionary to a file, as a backup, or to ship it with an application as one of {@link
   * DictionaryOptions.Builder#files} or {@link DictionaryOptions.Builder#resources}. The file has
   * parts of values and needs the same protection.
   *
   * @param id from {@link #list}
   * @throws IllegalArgumentException if the dictionary does not exist
   * @throws IOException if the file cannot be written
   */
  void exportTo(String id, Path file) throws IOException;

  /**
   * Imports a dictionary from a file, so that values compressed with it can be read again. Clients
   * do not compress with it unless it was current before.
   *
   * @return the dictionary's identifier
   * @throws IllegalArgumentException if the file is not a dictionary or is damaged
   * @throws IOException if the file cannot be read
   */
  String importFrom(Path file) throws IOException;

  /**
   * Runs now what the client does four times in a lease: renews the lease, looks for readers and
   * new dictionaries, and stores dictionaries again that this client uses and Redis has lost.
   */
  void refresh();
}
