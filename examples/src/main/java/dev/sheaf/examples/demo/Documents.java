package dev.sheaf.examples.demo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The data set: real records, under as many keys as the experiments need. Immutable.
 *
 * @param source where the records come from, fit to be shown
 * @param originals the records, one for each file; never empty
 * @param stored what is stored: the originals, and copies under further keys if they are too few
 * @param skipped why files were left out
 */
record Documents(
    String source, List<StoredDocument> originals, List<StoredDocument> stored, Skipped skipped) {

  /** Seeds the choice of pages, so that two runs on the same files read the same pages. */
  private static final long PAGE_SEED = 42;

  /**
   * Files that are no part of the data set.
   *
   * @param malformed not well-formed, with a DOCTYPE, or without the coordinates of a POM
   * @param tooSmall below the least size
   * @param tooLarge above the greatest size
   * @param duplicates of coordinates seen before
   * @param overLimit left out because the data set was full
   */
  record Skipped(int malformed, int tooSmall, int tooLarge, int duplicates, int overLimit) {

    /** The counts that are not zero, in words. */
    @Override
    public String toString() {
      List<String> words = new ArrayList<>();
      addUnlessZero(malformed, "malformed", words);
      addUnlessZero(tooSmall, "too small", words);
      addUnlessZero(tooLarge, "too large", words);
      addUnlessZero(duplicates, "duplicate", words);
      addUnlessZero(overLimit, "over the limit", words);
      return words.isEmpty() ? "none" : String.join(", ", words);
    }

    private static void addUnlessZero(int count, String what, List<String> words) {
      if (count > 0) {
        words.add(Figures.count(count) + " " + what);
      }
    }
  }

  /** Adds copies under further keys until there are {@code minKeys} keys. */
  static Documents of(String source, List<StoredDocument> originals, int minKeys, Skipped skipped) {
    List<StoredDocument> stored = new ArrayList<>(originals);
    for (int copy = 2; stored.size() < minKeys; copy++) {
      for (int i = 0; i < originals.size() && stored.size() < minKeys; i++) {
        StoredDocument original = originals.get(i);
        stored.add(
            new StoredDocument(
                original.key() + ":copy-" + copy, original.json(), original.bytes()));
      }
    }
    return new Documents(source, List.copyOf(originals), List.copyOf(stored), skipped);
  }

  /** A page of different documents, chosen at random but the same in every run. */
  List<StoredDocument> page(int size) {
    if (size > stored.size()) {
      throw new IllegalArgumentException(
          "a page of " + size + " needs as many documents; stored are " + stored.size());
    }
    List<StoredDocument> shuffled = new ArrayList<>(stored);
    Collections.shuffle(shuffled, new Random(PAGE_SEED + size));
    return List.copyOf(shuffled.subList(0, size));
  }

  /** How many there are and how large, in words. */
  String inWords() {
    int[] sizes = sizes();
    return Figures.count(sizes.length)
        + " documents as JSON, "
        + Figures.bytes(originals.stream().mapToLong(StoredDocument::bytes).sum())
        + "; each "
        + Figures.bytes((long) sizes[0])
        + " to "
        + Figures.bytes((long) sizes[sizes.length - 1])
        + ", median "
        + Figures.bytes((long) sizes[sizes.length / 2]);
  }

  /** What is stored, in words: the originals alone, or copies besides. */
  String storedInWords() {
    String keys = Figures.count(stored.size()) + " keys";
    return stored.size() == originals.size()
        ? keys
        : keys + ", copies among them, as the largest page needs so many";
  }

  /** Sizes of the originals in bytes, ascending. */
  int[] sizes() {
    return originals.stream().mapToInt(StoredDocument::bytes).sorted().toArray();
  }
}
