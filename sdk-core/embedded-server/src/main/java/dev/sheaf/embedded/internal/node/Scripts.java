// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.lua.CompiledScript;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The script cache of one node. */
public final class Scripts {
  private final Map<String, CompiledScript> bySha1 = new HashMap<>();

  public void put(CompiledScript script) {
    bySha1.put(script.name(), script);
  }

  /** By the digest, in any case. */
  public @Nullable CompiledScript get(byte[] digest) {
    return bySha1.get(Bytes.lower(digest));
  }

  public int size() {
    return bySha1.size();
  }

  /** Empties the cache; returns what was in it. */
  List<CompiledScript> clear() {
    List<CompiledScript> all = List.copyOf(bySha1.values());
    bySha1.clear();
    return all;
  }
}
