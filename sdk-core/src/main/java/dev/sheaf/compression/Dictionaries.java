// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The dictionaries of a key space: those that its clients have trained and stored in it.
 *
 * <p>Thread-safe. All methods block, for the command time-out at most for each round trip, so call
 * none on an event loop, such as in a callback of a future.
 */
public interface Dictionaries {

  /** All that are stored, those of one prefix together; unmodifiable. */
  List<DictionaryInfo> list();

  /**
   * Writes a copy of a dictionary to a file, to be kept, or to be shipped with an application as
   * one of {@link DictionaryOptions.Builder#files} or {@link DictionaryOptions.Builder#resources}.
   * It has pieces of values: keep it as you would keep these.
   *
   * @param id as {@link #list} gives it
   * @throws IllegalArgumentException if no such dictionary is stored
   * @throws IOException if the file cannot be written
   */
  void exportTo(String id, Path file) throws IOException;

  /**
   * Stores a dictionary from a file, so that what was compressed with it can be read again. Clients
   * do not compress with it unless it was current before.
   *
   * @return its identifier
   * @throws IllegalArgumentException if the file is not a dictionary, or is damaged
   * @throws IOException if the file cannot be read
   */
  String importFrom(Path file) throws IOException;

  /**
   * Does now what the client does four times in a lease: renews the lease, looks for readers and
   * for dictionaries that others have trained, and stores again what this client uses and Redis has
   * lost.
   */
  void refresh();
}
