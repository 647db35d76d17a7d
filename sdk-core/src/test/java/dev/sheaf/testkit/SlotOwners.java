// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which shard of a cluster had which slot, and when. Not thread-safe. */
final class SlotOwners {

  static final int SLOTS = 16_384;

  private record Spell(int shard, long since, long until) {}

  private final int shards;
  private final Map<Integer, List<Spell>> moved = new HashMap<>();

  /** Shards that share the slots evenly, in their order. */
  SlotOwners(int shards) {
    this.shards = shards;
  }

  static int firstSlot(int shard, int shards) {
    return shard * SLOTS / shards;
  }

  static int lastSlot(int shard, int shards) {
    return firstSlot(shard + 1, shards) - 1;
  }

  /**
   * A slot begins to move to a shard. Until it has {@link #left} the other one, both may have it.
   */
  void moves(int slot, int to, long at) {
    spells(slot).add(new Spell(to, at, Long.MAX_VALUE));
  }

  /** A slot is no longer that of a shard. */
  void left(int slot, int shard, long at) {
    spells(slot)
        .replaceAll(
            spell ->
                spell.shard == shard && spell.until == Long.MAX_VALUE
                    ? new Spell(shard, spell.since, at)
                    : spell);
  }

  /** Whether a shard had a slot at some time between two. */
  boolean had(int shard, int slot, long since, long until) {
    return spells(slot).stream()
        .anyMatch(spell -> spell.shard == shard && spell.since <= until && spell.until >= since);
  }

  private List<Spell> spells(int slot) {
    return moved.computeIfAbsent(
        slot,
        unmoved -> {
          int owner = 0;
          while (lastSlot(owner, shards) < slot) {
            owner++;
          }
          List<Spell> spells = new ArrayList<>();
          spells.add(new Spell(owner, Long.MIN_VALUE, Long.MAX_VALUE));
          return spells;
        });
  }
}
