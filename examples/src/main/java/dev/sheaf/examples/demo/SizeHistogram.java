package dev.sheaf.examples.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * How the sizes of documents are distributed: counts in classes, each twice as wide as the last.
 */
final class SizeHistogram {

  private SizeHistogram() {}

  /**
   * A class of sizes.
   *
   * @param from least size in bytes
   * @param to greatest size in bytes, not included
   */
  record Bin(int from, int to, int count) {}

  static List<Bin> of(int[] sizes) {
    List<Bin> bins = new ArrayList<>();
    int from = DocumentLoader.MIN_DOCUMENT_BYTES;
    while (from <= DocumentLoader.MAX_DOCUMENT_BYTES) {
      int to = from * 2;
      int count = 0;
      for (int size : sizes) {
        count += size >= from && size < to ? 1 : 0;
      }
      bins.add(new Bin(from, to, count));
      from = to;
    }
    return bins;
  }

  static String chart(int[] sizes) {
    List<BarChart.Bar> bars = new ArrayList<>();
    for (Bin bin : of(sizes)) {
      String name = Figures.bytes((long) bin.from()) + " to " + Figures.bytes((long) bin.to());
      bars.add(new BarChart.Bar(name, "other", bin.count(), Figures.count(bin.count())));
    }
    return BarChart.horizontal("Documents by size (classes double in width)", bars);
  }
}
