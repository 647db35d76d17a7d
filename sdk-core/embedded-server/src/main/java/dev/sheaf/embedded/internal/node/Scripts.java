// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.CompiledScript;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The script cache of one node. */
public final class Scripts {
  private final ByteMap<CompiledScript> bySha1 = new ByteMap<>();

  public void put(CompiledScript script) {
    bySha1.put(Bytes.of(script.name()), script);
  }

  /** Returns the script with a digest, in any case; null if there is none. */
  public @Nullable CompiledScript get(byte[] digest) {
    CompiledScript script = bySha1.get(digest);
    return script != null ? script : bySha1.get(Bytes.of(Bytes.lower(digest)));
  }

  public int size() {
    return bySha1.size();
  }

  /** Clears the cache and returns its content. */
  List<CompiledScript> clear() {
    List<CompiledScript> all = new ArrayList<>();
    for (var entry = bySha1.first(); entry != null; entry = entry.after()) {
      all.add(entry.value());
    }
    bySha1.clear();
    return all;
  }
}
