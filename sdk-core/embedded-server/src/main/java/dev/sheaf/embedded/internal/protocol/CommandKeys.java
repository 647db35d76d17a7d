// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.List;

/**
 * The positions of a command's keys among its arguments. {@code first}, {@code last} and {@code
 * step} are the values in COMMAND (zero if the positions depend on the arguments).
 */
public final class CommandKeys {
  public final List<KeySpec> specs;
  public final int first;
  public final int last;
  public final int step;

  /** Whether the positions of all keys are known only from the arguments. */
  public final boolean movable;

  private final KeyFinder finder;

  CommandKeys(List<KeySpec> specs) {
    this.specs = specs;
    int from = 0;
    int to = 0;
    int by = specs.size() == 1 ? specs.get(0).step() : 1;
    for (KeySpec spec : specs) {
      if (spec.isRange()) {
        from = from == 0 ? spec.begin() : from;
        to = spec.lastPlace();
      }
    }
    first = from;
    last = to;
    step = from == 0 ? 0 : by;
    movable = !specs.stream().allMatch(KeySpec::isRange);
    finder = movable ? special() : from == 0 ? args -> new int[0] : KeyFinder.range(from, to, by);
  }

  private KeyFinder special() {
    KeySpec end = specs.get(specs.size() - 1);
    if (end.isUnknown()) {
      return end.access().writes() ? KeyFinder::sort : KeyFinder.range(first, last, step);
    }
    if (end.keyword() == null) {
      return specs.size() == 1 ? KeyFinder.counted(end.begin()) : KeyFinder::storeCounted;
    }
    return switch (end.keyword()) {
      case "STREAMS" -> KeyFinder::streams;
      case "KEYS" -> KeyFinder::migrate;
      default -> KeyFinder.geoStore(end.begin());
    };
  }

  /** Returns whether the command never has keys. */
  public boolean isNone() {
    return specs.isEmpty();
  }

  /** Returns whether the keys are names of channels. */
  public boolean areChannels() {
    return !specs.isEmpty() && specs.get(0).access().isNoKey();
  }

  /** Returns the positions of the keys; the command itself is argument 0. */
  public int[] find(byte[][] args) {
    return finder.find(args);
  }

  /** Returns the access to the key at a position from {@link #find}. */
  KeyAccess access(int place) {
    for (KeySpec spec : specs) {
      if (spec.covers(place)) {
        return spec.access();
      }
    }
    KeySpec last = specs.get(specs.size() - 1);
    return "KEYS".equals(last.keyword()) ? specs.get(0).access() : last.access();
  }
}
