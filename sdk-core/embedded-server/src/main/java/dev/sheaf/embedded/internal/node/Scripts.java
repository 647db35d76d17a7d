// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import dev.sheaf.embedded.internal.data.ByteMap;
import dev.sheaf.embedded.internal.data.Bytes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The script cache of one node. */
public final class Scripts {
  private final ByteMap<Script> bySha1 = new ByteMap<>();

  /**
   * A script that compiles.
   *
   * @param sha1 its digest in lower case
   * @param flags of its first line; null without one
   */
  public record Script(String sha1, byte[] source, @Nullable Set<String> flags) {}

  public void put(Script script) {
    bySha1.put(Bytes.of(script.sha1()), script);
  }

  /** By the digest, in any case. */
  public @Nullable Script get(byte[] digest) {
    Script script = bySha1.get(digest);
    return script != null ? script : bySha1.get(Bytes.of(Bytes.lower(digest)));
  }

  public int size() {
    return bySha1.size();
  }

  public void clear() {
    bySha1.clear();
  }
}
