package dev.sheaf.embedded.node;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The script cache of one node. */
public final class Scripts {
  private final Map<String, byte[]> bySha1 = new HashMap<>();

  public void put(String sha1, byte[] source) {
    bySha1.put(sha1, source);
  }

  /** By the digest in lower case. */
  public byte @Nullable [] get(String sha1) {
    return bySha1.get(sha1);
  }

  public int size() {
    return bySha1.size();
  }

  public void clear() {
    bySha1.clear();
  }
}
