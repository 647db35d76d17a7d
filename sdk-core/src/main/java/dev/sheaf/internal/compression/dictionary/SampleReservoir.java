// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A random sample of bounded size of the offered values. Once it is full, a value replaces another
 * with a probability that falls as more are offered. Not thread-safe.
 */
final class SampleReservoir {

  private final int maxBytes;
  private final List<byte[]> samples = new ArrayList<>();
  private int bytes;
  private int seen;

  SampleReservoir(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  void offer(byte[] source, int start, int length) {
    seen++;
    if (length > maxBytes) {
      return;
    }
    if (bytes + length > maxBytes && ThreadLocalRandom.current().nextInt(seen) >= samples.size()) {
      return;
    }
    while (bytes + length > maxBytes) {
      int last = samples.size() - 1;
      int victim = ThreadLocalRandom.current().nextInt(samples.size());
      bytes -= samples.get(victim).length;
      samples.set(victim, samples.get(last));
      samples.remove(last);
    }
    samples.add(Arrays.copyOfRange(source, start, start + length));
    bytes += length;
  }

  /** Returns the number of offered values. */
  int seen() {
    return seen;
  }

  /** Returns the sample and starts a new one. */
  List<byte[]> take() {
    List<byte[]> taken = new ArrayList<>(samples);
    samples.clear();
    bytes = 0;
    seen = 0;
    return taken;
  }
}
