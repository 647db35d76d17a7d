package dev.sheaf.embedded.internal.data;

import org.jspecify.annotations.Nullable;

/** A hash. Small ones report the compact encoding and keep the order of insertion. */
public final class HashValue extends Value {
  private static final int COMPACT_ENTRIES = 512;
  private static final int COMPACT_BYTES = 64;

  private final ByteMap<byte[]> fields = new ByteMap<>();
  private boolean compact = true;

  /** The fields, for reading; write through {@link #put} and {@link #remove}. */
  public ByteMap<byte[]> fields() {
    return fields;
  }

  public byte @Nullable [] put(byte[] field, byte[] value) {
    byte[] old = fields.put(field, value);
    if (field.length > COMPACT_BYTES
        || value.length > COMPACT_BYTES
        || fields.size() > COMPACT_ENTRIES) {
      compact = false;
    }
    return old;
  }

  public boolean remove(byte[] field) {
    return fields.remove(field) != null;
  }

  public int size() {
    return fields.size();
  }

  public boolean isCompact() {
    return compact;
  }

  @Override
  public String type() {
    return "hash";
  }

  @Override
  public String encoding() {
    return compact ? "listpack" : "hashtable";
  }

  @Override
  public HashValue copy() {
    HashValue copy = new HashValue();
    for (var e = fields.first(); e != null; e = e.after()) {
      copy.put(e.key(), e.value());
    }
    copy.compact = compact;
    return copy;
  }

  @Override
  public long memory() {
    long bytes = 64;
    for (var e = fields.first(); e != null; e = e.after()) {
      bytes += 24L + e.key().length + e.value().length;
    }
    return bytes;
  }
}
