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

/** What a client can read: the algorithms whose libraries are present, and those of its own. */
public final class Codecs {

  private final @Nullable Compressor[] byId = new Compressor[Compressor.MAX_ID + 1];
  private final @Nullable KnownDictionaries dictionaries;

  /**
   * Knows the usual algorithms and the given ones.
   *
   * @param dictionaries null if values that need one are not read
   * @throws IllegalArgumentException if one has an identifier that is not its own
   */
  Codecs(Collection<Compressor> own, @Nullable KnownDictionaries dictionaries) {
    this.dictionaries = dictionaries;
    for (Algorithm algorithm : Algorithm.values()) {
      byId[algorithm.id()] = algorithm.orNull();
    }
    own.forEach(this::add);
  }

  /** The usual algorithms and dictionaries, if their library is there. */
  public static Codecs usual(KnownDictionaries dictionaries) {
    return new Codecs(List.of(), Algorithm.ZSTD.orNull() == null ? null : dictionaries);
  }

  /** What a client with these options can read. */
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
   * The reader of an algorithm.
   *
   * @throws UnreadableValueException if there is none
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

  /** Whether values are read that need a dictionary. */
  boolean readsDictionaries() {
    return dictionaries != null;
  }

  /**
   * A dictionary.
   *
   * @throws UnreadableValueException if it is not there
   */
  TrainedDictionary dictionary(int id) {
    if (dictionaries == null) {
      throw new IllegalStateException("Dictionaries are not read");
    }
    return dictionaries.require(id);
  }

  /** A name for messages. */
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
