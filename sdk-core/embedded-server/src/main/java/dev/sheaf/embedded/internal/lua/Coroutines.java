// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

import java.util.ArrayList;
import java.util.List;
import party.iroiro.luajava.Lua;

/**
 * The coroutines that called into Java. The binding keeps each alive until told otherwise, so they
 * are let go when the script has ended.
 */
final class Coroutines {

  private final List<Lua> known = new ArrayList<>();

  void entered(Lua coroutine) {
    // The same few call again and again; the last one most of all.
    for (int i = known.size() - 1; i >= 0; i--) {
      if (known.get(i) == coroutine) {
        return;
      }
      if (known.size() - i > 8) {
        break;
      }
    }
    known.add(coroutine);
  }

  void release() {
    if (!known.isEmpty()) {
      known.forEach(Lua::close);
      known.clear();
    }
  }
}
