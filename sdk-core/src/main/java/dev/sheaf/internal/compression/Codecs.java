// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.internal.compression.algorithm.Algorithm;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import dev.sheaf.internal.compression.dictionary.KnownDictionaries;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The algorithms that a client can read: those whose libraries are present, and the application's
 * own.
 */
public final class Codecs {

  private final @Nullable Compressor[] byId = new Compressor[Compressor.MAX_ID + 1];
  private final @Nullable KnownDictionaries dictionaries;

  /**
   * Creates a set of the built-in and the given algorithms.
   *
   * @param dictionaries null if values that need a dictionary are not read
   * @throws IllegalArgumentException if one has a reserved or duplicate identifier
   */
  Codecs(Collection<Compressor> own, @Nullable KnownDictionaries dictionaries) {
    this.dictionaries = dictionaries;
    for (Algorithm algorithm : Algorithm.values()) {
      byId[algorithm.id()] = algorithm.orNull();
    }
    own.forEach(this::add);
  }

  /** Returns the built-in algorithms and dictionaries whose libraries are present. */
  public static Codecs usual(KnownDictionaries dictionaries) {
    return new Codecs(List.of(), Algorithm.ZSTD.orNull() == null ? null : dictionaries);
  }

  /** Returns the algorithms of a client with these options. */
  static Codecs of(CompressionOptions options, DictionaryService dictionaries) {
    List<Compressor> own = new ArrayList<>(options.readers());
    for (CompressionPolicy policy : options.policies()) {
      Compressor compressor = policy.compressor();
      if (compressor != null) {
        own.add(compressor);
      }
    }
    return new Codecs(own, dictionaries.reads() ? dictionaries.known() : null);
  }

  private void add(Compressor compressor) {
    int id = compressor.id();
    if (id >= Compressor.FIRST_PRIVATE_ID && id <= Compressor.MAX_ID) {
      Compressor other = byId[id];
      if (other != null && !other.getClass().equals(compressor.getClass())) {
        throw new IllegalArgumentException(
            "Two compressors have the identifier "
                + id
                + ": "
                + other.name()
                + " and "
                + compressor.name());
      }
      byId[id] = compressor;
    } else if (id < 1 || id > Compressor.MAX_ID || !isUsual(compressor)) {
      throw new IllegalArgumentException(
          "The compressor "
              + compressor.name()
              + " must have an identifier from "
              + Compressor.FIRST_PRIVATE_ID
              + " to "
              + Compressor.MAX_ID
              + ", but has "
              + id);
    }
  }

  private boolean isUsual(Compressor compressor) {
    Compressor usual = byId[compressor.id()];
    return usual != null && usual.getClass().equals(compressor.getClass());
  }

  /**
   * Returns the decompressor of an algorithm.
   *
   * @throws UnreadableValueException if it is missing
   */
  Compressor require(int id) {
    Compressor compressor = byId[id];
    if (compressor != null) {
      return compressor;
    }
    Algorithm missing = Algorithm.withId(id);
    throw missing == null
        ? new UnreadableValueException(
            Reason.UNKNOWN_ALGORITHM,
            "its algorithm has the number "
                + id
                + ", which this client does not know; the readers of CompressionOptions add some",
            null)
        : new UnreadableValueException(
            Reason.MISSING_LIBRARY,
            "its algorithm is "
                + nameOf(id)
                + ", which needs "
                + missing.library()
                + " on the class path",
            null);
  }

  /** Returns whether values that need a dictionary are read. */
  boolean readsDictionaries() {
    return dictionaries != null;
  }

  /**
   * Returns a dictionary.
   *
   * @throws UnreadableValueException if it is missing
   */
  TrainedDictionary dictionary(int id) {
    if (dictionaries == null) {
      throw new IllegalStateException("Dictionaries are not read");
    }
    return dictionaries.require(id);
  }

  /** Returns a name for messages. */
  public String nameOf(int id) {
    Compressor compressor = byId[id];
    if (compressor != null) {
      return compressor.name();
    }
    Algorithm missing = Algorithm.withId(id);
    if (missing != null) {
      return missing.name().toLowerCase(Locale.ROOT);
    }
    return id == Envelope.STORED ? "stored" : "algorithm " + id;
  }
}
